import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const endpointSchema = z.object({ url: z.url(), token: z.string(), pid: z.number().int() });

/** Where the owner of a data folder answers, and the token with which this user's own programs call it. */
export type Endpoint = z.output<typeof endpointSchema>;

const fileName = 'endpoint.json';

/** Readable for this user alone. */
export async function writeEndpoint(dataDir: string, endpoint: Endpoint): Promise<void> {
  const path = join(dataDir, fileName);
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(endpoint), { mode: 0o600 });
  await rename(temporary, path);
}

/** Undefined when nobody has written one. */
export async function readEndpoint(dataDir: string): Promise<Endpoint | undefined> {
  const text = await readFile(join(dataDir, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = endpointSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

export async function removeEndpoint(dataDir: string): Promise<void> {
  await rm(join(dataDir, fileName), { force: true });
}
