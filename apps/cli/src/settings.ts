import { homedir } from 'node:os';
import { join } from 'node:path';
import { postgresSettings, redisSettings, secret } from '@lectern/config';
import { z } from 'zod';

/** What `migrate` and `token reset` read. */
export const adminSettings = z.object({
  DATABASE_ADMIN_URL: postgresSettings.DATABASE_URL.optional().describe(
    'PostgreSQL by a login that may make roles and owns the database; without it DATABASE_URL is taken. The services never see it.',
  ),
  DATABASE_URL: postgresSettings.DATABASE_URL.optional().describe(
    'PostgreSQL, such as postgres://postgres@127.0.0.1:5432/lectern; the database has to exist.',
  ),
  DATABASE_SERVICE_LOGIN: z
    .string()
    .optional()
    .describe('Role that "migrate" makes for the services: a member of the service roles that owns nothing.'),
  DATABASE_SERVICE_PASSWORD: secret(z.string()).optional().describe('Password that "migrate" gives to that role.'),
});

/** What `stack` reads for itself; every further setting goes to the services as it is. */
export const stackSettings = z.object({
  DATABASE_URL: postgresSettings.DATABASE_URL.describe(
    'PostgreSQL by an admin login, such as postgres://postgres@127.0.0.1:5432/lectern; the database has to exist. The services get a login of their own.',
  ),
  REDIS_URL: redisSettings.REDIS_URL.describe('Redis, such as redis://127.0.0.1:6379.'),
  BLOB_DIR: z
    .string()
    .default(join(homedir(), '.lectern-stack', 'blobs'))
    .describe('Folder of the uploaded files of a stack; embedded mode has its own.'),
  HOST: z.string().default('127.0.0.1').describe('Address on which the gateways listen.'),
});

export type StackConfig = z.output<typeof stackSettings>;

/** What `call` reads. */
export const callSettings = z.object({
  LECTERN_TOKEN: secret(z.string())
    .optional()
    .describe('Bearer token for "call --url", where a --token would show in the list of processes.'),
});
