import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.js';

/** Servers that do not answer: a command that refuses does so before it looks for them. */
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', REDIS_URL: 'redis://127.0.0.1:1' };

describe('the command `lectern`', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-e2e-command-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('leaves the data folder when a client on stdio has gone before the start was done', async () => {
    const dataDir = join(folder, 'left');
    for (const attempt of ['empty', 'made']) {
      const { code, stdout, stderr } = await runCommand(['stdio', '--data-dir', dataDir]);
      expect([attempt, code, stdout, stderr]).toEqual([attempt, 0, '', '']);
    }
    expect(await readdir(dataDir)).not.toContain('endpoint.json');
  });

  it.each([
    [['--replicas', '0'], '--replicas'],
    [['--port', '99999'], '--port'],
    [['--port', '65535', '--replicas', '2'], 'no ports are left'],
  ])('refuses a stack with %j before it does anything', async (options, named) => {
    const { code, stderr } = await runCommand(['stack', ...options], nowhere);
    expect([code, stderr]).toEqual([1, expect.stringContaining(named)]);
  });

  it('refuses a stack whose port another server has before it does anything', async () => {
    const other = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const taken = await runCommand(['stack', '--port', String(port)], nowhere);
    const second = await runCommand(['stack', '--replicas', '2', '--port', String(port - 1)], nowhere);
    other.close();
    const refused = { code: 1, stdout: '', stderr: expect.stringContaining('choose another port with --port') };
    expect([taken, second]).toEqual([refused, refused]);
  });
});
