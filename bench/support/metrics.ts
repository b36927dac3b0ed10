import type { ServerProcess } from '@lectern/e2e';

/** The sum of a metric over all processes of a server, of the lines that have such labels. */
export async function sumOf(server: ServerProcess, metric: string, labels = ''): Promise<number> {
  const ports = server.processes.map(({ healthPort }) => healthPort ?? new URL(server.urls[0]!).port);
  const pages = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()));
  return pages
    .flatMap((page) => page.split('\n'))
    .filter((line) => line.startsWith(`${metric}{`) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
