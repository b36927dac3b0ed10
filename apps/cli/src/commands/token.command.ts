import { access, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  defaultTenantName,
  ensureTenant,
  openPglite,
  replaceManagedToken,
  withAdmin,
  type Transaction,
} from '@lectern/database';
import { withLogin, type AdminLogin } from '../admin-login.js';
import { acquireOwnership } from '../embedded/owner-lock.js';

const reset = async (connection: Transaction): Promise<string> => {
  const tenantId = await ensureTenant(connection, defaultTenantName);
  return (await replaceManagedToken(connection, tenantId)).token;
};

const undefinedTable = '42P01';

/** Replaces the managed token of a PostgreSQL installation. Resolves to the new one. */
export async function resetTokenOfDatabase(login: AdminLogin): Promise<string> {
  try {
    return await withLogin(login, (url) => withAdmin(url, reset));
  } catch (error) {
    if ((error as { code?: string }).code !== undefinedTable) throw error;
    throw new Error(`${login.setting}: Lectern is not installed in that database: run "npm run migrate"`, {
      cause: error,
    });
  }
}

/** Replaces the managed token of an embedded installation that is not running. Resolves to the new one. */
export async function resetTokenOfFolder(folder: string): Promise<string> {
  const installed = await access(join(folder, 'database')).then(
    () => true,
    () => false,
  );
  if (!installed) throw new Error(`${folder} holds no installation: the first start makes one`);
  const dataDir = await realpath(folder);
  const lock = await acquireOwnership(dataDir);
  if (!lock) throw new Error(`the server is running on ${folder}: stop it first`);
  try {
    const database = await openPglite({ dataDir: join(dataDir, 'database') });
    return await database.asAdmin(reset).finally(() => database.close());
  } finally {
    await lock.release();
  }
}
