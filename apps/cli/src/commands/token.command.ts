import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  defaultTenantName,
  ensureTenant,
  openPglite,
  replaceManagedToken,
  withAdmin,
  type Transaction,
} from '@lectern/database';
import { acquireOwnership } from '../embedded/owner-lock.js';

const reset = async (connection: Transaction): Promise<string> => {
  const tenantId = await ensureTenant(connection, defaultTenantName);
  return (await replaceManagedToken(connection, tenantId)).token;
};

/** Replaces the managed token of a PostgreSQL installation, or of the embedded one when no URL is given. */
export async function resetToken(options: { adminUrl: string | undefined; dataDir: string }): Promise<string> {
  if (options.adminUrl) return withAdmin(options.adminUrl, reset);
  const dataDir = await realpath(options.dataDir);
  const lock = await acquireOwnership(dataDir);
  if (!lock) throw new Error('the server is running on this data folder: stop it first');
  const database = await openPglite({ dataDir: join(dataDir, 'database') });
  try {
    return await database.asAdmin(reset);
  } finally {
    await database.close();
    await lock.release();
  }
}
