export { testPostgres, type AdminSession, type TestPostgres } from './postgres.js';
export { executedPlans, type ObservedStatement } from './plans.js';
export { testRedis, type TestRedis } from './redis.js';
export { freePort, startPostgres, startRedis, type OwnPostgres, type OwnRedis } from './own-servers.js';
export { openLink, type Link } from './link.js';
export { hasServers, type TestServer } from './servers.js';
export { eventually } from './eventually.js';
export { fakeModel, fakeVector } from './fake-embedding.js';
export { testCaller } from './caller.js';
