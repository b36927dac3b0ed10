import { migrate, provisionDefaultTenant, withAdmin } from '@lectern/database';

export interface MigrateOptions {
  adminUrl: string;
  /** Login that the services use; made when missing. */
  serviceLogin?: { name: string; password?: string | undefined } | undefined;
}

/**
 * Brings a PostgreSQL database to this release and, at the first time, makes the default tenant and its managed token,
 * which nobody can read afterwards.
 */
export async function runMigrations(
  options: MigrateOptions,
): Promise<{ applied: string[]; token: string | undefined }> {
  const { adminUrl, serviceLogin } = options;
  const applied = await migrate({ adminUrl, ...(serviceLogin ? { serviceLogin } : {}) });
  const { token } = await withAdmin(adminUrl, provisionDefaultTenant);
  return { applied, token };
}
