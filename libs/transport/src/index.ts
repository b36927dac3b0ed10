export type { CallContext, CallOptions, ServiceClient, Transport } from './call.js';
export { Handles } from './decorators.js';
export { startMicroservice, type RunningMicroservice } from './microservice.js';
export { createInProcessTransport, type InProcessTransportOptions } from './in-process/in-process.transport.js';
export { createRedisTransport, type RedisTransportOptions } from './redis-streams/redis-streams.transport.js';
