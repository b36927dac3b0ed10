export { testPostgres, type TestPostgres } from './postgres.js';
export { freePort, startRedis, testRedis, type OwnRedis, type TestRedis } from './redis.js';
export { eventually } from './eventually.js';
export { fakeModel, fakeVector } from './fake-embedding.js';
export { testCaller } from './caller.js';
