import { DatabaseConnectionError } from '@lectern/database';
import type { z } from 'zod';
import type { adminSettings } from './settings.js';

/** A login that may change the schema, and the setting that named it. */
export interface AdminLogin {
  setting: 'DATABASE_ADMIN_URL' | 'DATABASE_URL';
  url: string;
}

/** Undefined when neither setting is there. */
export function adminLogin(config: z.output<typeof adminSettings>): AdminLogin | undefined {
  for (const setting of ['DATABASE_ADMIN_URL', 'DATABASE_URL'] as const) {
    const url = config[setting];
    if (url) return { setting, url };
  }
  return undefined;
}

/** Runs work on that login; when it can't connect, the error names the setting to correct. */
export async function withLogin<T>({ setting, url }: AdminLogin, work: (url: string) => Promise<T>): Promise<T> {
  try {
    return await work(url);
  } catch (error) {
    if (!(error instanceof DatabaseConnectionError)) throw error;
    throw new Error(`${setting}: ${error.message}`, { cause: error });
  }
}

/** Where a database lies, without the login. */
export function databaseAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
