import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, hasServers, testPostgres } from '@lectern/testing';
import { runCommand } from '../support/run-command.js';
import { cliEntry } from '../support/server-process.js';
import { startTestStack } from '../support/stack.js';

/** Servers that do not answer: a command that refuses does so before it looks for them. */
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', REDIS_URL: 'redis://127.0.0.1:1' };
const closed = ['--url', 'http://127.0.0.1:2/mcp', '--token', 'token'];

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

  it.each<[string[], Record<string, string>, RegExp]>([
    [['migrate'], { DATABASE_URL: '' }, /^DATABASE_URL is not set\. PostgreSQL, such as postgres:/],
    [['migrate'], { DATABASE_URL: 'mysql://x/y' }, /DATABASE_URL: takes a postgres:\/\/ URL/],
    [['migrate'], nowhere, /DATABASE_URL: no PostgreSQL server answers at 127\.0\.0\.1:1 \(ECONNREFUSED\)/],
    [['token', 'reset'], nowhere, /DATABASE_URL: no PostgreSQL server answers/],
    [['token', 'reset', '--data-dir', '/nowhere'], nowhere, /\/nowhere holds no installation/],
    [['start', '--data-dir', cliEntry], {}, /data folder .*main\.js is no folder: choose another with --data-dir/],
    [['stdio', '--data-dir', cliEntry], {}, /data folder .*main\.js is no folder/],
    [['stack'], { ...nowhere, HOST: '192.0.2.1' }, /HOST names no address of this machine/],
    [['call', 'x', '{bad', ...closed], {}, /the arguments are no JSON object, such as .*: \{bad/],
    [['call', 'x', '[]', ...closed], {}, /the arguments are no JSON object/],
    [['call', 'x', ...closed], {}, /no server answers at http:\/\/127\.0\.0\.1:/],
    [['call', 'x', '--url', 'http://127.0.0.1:2/mcp'], {}, /--url needs a token: give --token, or set LECTERN_TOKEN/],
  ])('says in words what is wrong with %j and %j', async (words, environment, sentence) => {
    const { stdout, stderr } = await runCommand(words, environment);
    expect(stdout).toBe('');
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

(hasServers('postgres', 'redis') ? describe : describe.skip)('the command `lectern` on PostgreSQL and Redis', () => {
  it('says how to make a database that is missing', async () => {
    const postgres = await testPostgres();
    const { code, stderr } = await runCommand(['migrate'], { DATABASE_URL: `${postgres.adminUrl}_missing` });
    await postgres.close();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/has no database ".*_missing": make it with "createdb /)]);
  });

  it('names the Redis that does not answer', async () => {
    const postgres = await testPostgres();
    const environment = { DATABASE_URL: postgres.adminUrl, REDIS_URL: nowhere.REDIS_URL };
    const { code, stderr } = await runCommand(['stack', '--port', String(await freePort())], environment);
    await postgres.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining("REDIS_URL: Redis at 127.0.0.1:1 can't be used")]);
  });

  it('replaces the token of the installation that it is asked for, and says which', async () => {
    const stack = await startTestStack();
    const [url] = stack.server.urls;
    const environment = { DATABASE_URL: stack.postgres.adminUrl };
    const call = (token: string) =>
      runCommand(['call', 'list_documents', '--url', url!], { ...environment, LECTERN_TOKEN: token });
    expect(await call(stack.server.token)).toMatchObject({ code: 0 });
    const reset = await runCommand(['token', 'reset'], environment);
    expect(reset).toMatchObject({ code: 0, stdout: expect.stringContaining(new URL(environment.DATABASE_URL).host) });
    const token = reset.stdout.trim().split(' ').at(-1)!;
    expect([await call(token), await call(stack.server.token)]).toMatchObject([{ code: 0 }, { code: 1 }]);
    const unconfirmed = await runCommand([
      'call',
      'delete_document',
      JSON.stringify({ documentId: randomUUID() }),
      '--url',
      url!,
      '--token',
      token,
    ]);
    expect(unconfirmed).toMatchObject({ code: 1, stderr: expect.stringContaining('run it again with --confirm') });
    await stack.close();
  });
});
