import { migrate, provisionDefaultTenant, withAdmin } from '@lectern/database';
import { withLogin, type AdminLogin } from '../admin-login.js';

export interface MigrateOptions {
  login: AdminLogin;
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
  const { login, serviceLogin } = options;
  return withLogin(login, async (adminUrl) => {
    const applied = await migrate({ adminUrl, ...(serviceLogin ? { serviceLogin } : {}) });
    const { token } = await withAdmin(adminUrl, provisionDefaultTenant);
    return { applied, token };
  });
}
