import pg from 'pg';

export interface ObservedStatement {
  /** A role of a service, which row-level security binds. */
  role: `lectern_${string}`;
  tenantId: string;
  /** Runs first in the same transaction, such as settings. */
  before?: string;
  sql: string;
  values: readonly unknown[];
}

/**
 * Runs a statement and gives the plans that the server used: its own first... those of the statements inside the functions
 * that it calls come before it. Needs a superuser, who alone may load auto_explain.
 */
export async function executedPlans(adminUrl: string, statement: ObservedStatement): Promise<string[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  const plans: string[] = [];
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.connect();
  try {
    await client.query(`LOAD 'auto_explain'; SET jit = off; BEGIN; SET LOCAL ROLE ${statement.role}`);
    await client.query("SELECT set_config('app.tenant_id', $1, true)", [statement.tenantId]);
    if (statement.before) await client.query(statement.before);
    await client.query('RESET ROLE');
    await client.query(
      'SET LOCAL client_min_messages = log; SET LOCAL auto_explain.log_nested_statements = on; SET LOCAL auto_explain.log_min_duration = 0',
    );
    await client.query(`SET LOCAL ROLE ${statement.role}`);
    plans.length = 0;
    await client.query(statement.sql, [...statement.values]);
    return plans;
  } finally {
    await client.end();
  }
}
