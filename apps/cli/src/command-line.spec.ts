import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { commandLine, shellWord } from './command-line.js';
import { defaultDataDir } from './embedded/config.js';

const project = join(import.meta.dirname, '..', '..', '..');

it('names the npm script to somebody in the project folder', () => {
  expect(commandLine('token reset', { folder: project })).toBe('npm run lectern -- token reset');
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: object };
  expect(Object.keys(scripts)).toContain('lectern');
});

it('names absolute paths to anybody else', () => {
  for (const place of [{}, { folder: '/' }, { folder: join(project, 'apps') }])
    expect(commandLine('stdio', place)).toMatch(/^node "?\/.*main\.js"? stdio$/);
});

it('names the data folder unless it is the default one', () => {
  const folder = project;
  expect(commandLine('start', { folder, dataDir: defaultDataDir })).toBe('npm run lectern -- start');
  expect(commandLine('start', { folder, dataDir: '/a b' })).toBe('npm run lectern -- start --data-dir "/a b"');
});

it('makes one word of a path with blanks', () => {
  const path = '/home/a b/x';
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`]).toString()).toBe(path);
});
