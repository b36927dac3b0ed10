import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.js';

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
});
