export type {
  Database,
  DatabaseRole,
  LookupFunction,
  LookupOptions,
  Transaction,
  TransactionOptions,
} from './database.js';
export { openPostgres, type PostgresOptions } from './postgres.js';
export { openPglite, type EmbeddedDatabase } from './pglite.js';
export { DatabaseConnectionError } from './connection-fault.js';
export { withAdmin } from './admin.js';
export { migrate, type ServiceLogin } from './migrate.js';
export { schemaVersion } from './migrations/index.js';
export { SchemaError } from './schema-guard.js';
export {
  defaultTenantName,
  ensureTenant,
  hashToken,
  issueToken,
  managedScopes,
  provisionDefaultTenant,
  replaceManagedToken,
  revokeToken,
  type IssuedToken,
  type TokenSpec,
} from './provision.js';
export { toSparsevecText, toVectorText, type SparseVector } from './vector.js';
export { newId } from './uuid.js';
