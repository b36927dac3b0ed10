import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ServiceProcess } from './child-process.js';

it('does not take a stranger on its port for its own child, which dies', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-child-'));
  const entry = join(folder, 'main.mjs');
  await writeFile(entry, 'setTimeout(() => process.exit(1), 300);');
  const stranger = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const service = new ServiceProcess({ name: 'service-0', entry, environment: process.env, log: () => undefined });
  service.start();
  const ready = service.untilReady((stranger.address() as AddressInfo).port);
  await expect(ready).rejects.toThrow('service-0 could not start');
  stranger.close();
  await rm(folder, { recursive: true });
  // Starting a process takes seconds on a machine that is busy with other tests.
}, 60_000);
