const variables = { postgres: 'TEST_DATABASE_URL', redis: 'TEST_REDIS_URL' } as const;

/** A server that the test runner (scripts/jest.mjs) finds, or starts, before the tests. */
export type TestServer = keyof typeof variables;

/**
 * Whether the runner found these servers. It fails in CI where one is missing; elsewhere it says so, and a test picks
 * `describe` or `describe.skip` by this, so that what is skipped is listed by name.
 */
export function hasServers(...servers: TestServer[]): boolean {
  return servers.every((server) => process.env[variables[server]]);
}

export function serverUrl(server: TestServer): string {
  const url = process.env[variables[server]];
  if (!url)
    throw new Error(`this test needs ${variables[server]}, which "node scripts/jest.mjs int" sets where it can`);
  return url;
}
