import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultDataDir } from './embedded/config.js';

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url));

/** Absolute path of the command's entry file, which any Node from 20 on can run. */
export const entryFile = fileURLToPath(new URL('main.js', import.meta.url));

export interface CommandPlace {
  /** Folder where the person is; absent when nobody knows. */
  folder?: string;
  /** Absolute path of the data folder that is meant; named unless it is the default one. */
  dataDir?: string;
}

/**
 * What a person types to run this command, which no installation puts on a PATH: short in the project's own folder, with
 * absolute paths elsewhere. Every text that names a command takes it from here.
 * @param words in the form that a shell takes
 */
export function commandLine(words: string, { folder, dataDir = defaultDataDir }: CommandPlace = {}): string {
  const option = dataDir === defaultDataDir ? '' : ` --data-dir ${shellWord(dataDir)}`;
  const short = folder !== undefined && join(folder, '/') === projectFolder;
  return `${short ? 'npm run lectern --' : `node ${shellWord(entryFile)}`} ${words}${option}`;
}

/** One word for a shell, in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text}"`;
}
