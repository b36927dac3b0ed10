// Runs one benchmark: npm run bench -- NAME [its arguments]. Node runs their TypeScript as it is.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [name, ...rest] = process.argv.slice(2);
const names = globSync('*.ts', { cwd: join(root, 'bench') })
  .map((file) => basename(file, '.ts'))
  .toSorted();
if (!names.includes(name)) {
  process.stderr.write(`takes the name of a benchmark: ${names.join(', ')}\n`);
  process.exit(1);
}
const run = spawnSync(process.execPath, [join(root, 'bench', `${name}.ts`), ...rest], { cwd: root, stdio: 'inherit' });
process.exit(run.status ?? 1);
