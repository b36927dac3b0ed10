import pg from 'pg';

export interface ObservedStatement {
  /** A role of a service, which row-level security binds. */
  role: `lectern_${string}`;
  tenantId: string;
  /** Settings that come first in the same transaction. */
  settings?: string;
  sql: string;
  values: readonly unknown[];
}

/**
 * Runs a statement and gives the plans that the server used, those of the statements inside functions included. Needs a
 * superuser, who alone may load auto_explain.
 */
export async function executedPlans(adminUrl: string, statement: ObservedStatement): Promise<string[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  const plans: string[] = [];
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.connect();
  try {
    await client.query(
      `LOAD 'auto_explain'; SET jit = off; SET client_min_messages = log;
       SET auto_explain.log_nested_statements = on; SET auto_explain.log_min_duration = 0`,
    );
    await client.query(`BEGIN; SET LOCAL ROLE ${statement.role}; SET LOCAL app.tenant_id = '${statement.tenantId}'`);
    if (statement.settings) await client.query(statement.settings);
    plans.length = 0;
    await client.query(statement.sql, [...statement.values]);
    // A statement with parameters ends, for the server, when the next one comes.
    await client.query('ROLLBACK');
    return plans;
  } finally {
    await client.end();
  }
}
