import { z } from 'zod';
import { decimal, secret, wholeNumber } from './field.js';

/** Groups of settings that more than one service reads; a service's schema spreads those it needs. */
export const postgresSettings = {
  DATABASE_URL: secret(z.url({ protocol: /^postgres(ql)?$/, error: 'takes a postgres:// URL' })).describe(
    'PostgreSQL with pgvector; log in as a role that is a member of the service roles and owns nothing.',
  ),
  DATABASE_POOL_SIZE: wholeNumber({ min: 1, max: 200, fallback: 8 }).describe('Connections that a replica keeps.'),
};

export const redisSettings = {
  REDIS_URL: secret(z.url({ protocol: /^rediss?$/, error: 'takes a redis:// URL' })).describe(
    'Redis 7 or newer with maxmemory-policy noeviction.',
  ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'takes letters, digits, dots, dashes and underscores')
    .default('lectern')
    .describe('First part of every key, so that deployments can share one Redis.'),
};

export const transportSettings = {
  TRANSPORT_KEY: secret(z.string().min(32, 'takes at least 32 characters, the same for all services')).describe(
    'Shared secret that signs requests between services: whoever reaches Redis must not become any tenant.',
  ),
  TRANSPORT_CONCURRENCY: wholeNumber({ min: 2, max: 1024, fallback: 32 }).describe(
    'Interactive requests that a replica runs at once; bulk ones have half as many slots of their own.',
  ),
  TRANSPORT_MAX_QUEUE: wholeNumber({ min: 1, max: 1_000_000, fallback: 4096 }).describe(
    'Requests that may wait for a service and lane; past it callers get "unavailable" at once.',
  ),
};

export const telemetrySettings = {
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe log line that is written.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Base URL of an OTLP/HTTP collector; without it no trace leaves the process.'),
  TRACE_RATIO: decimal({ min: 0, max: 1, fallback: 0.05 }).describe(
    'Share of calls that are traced when the caller has not decided.',
  ),
};

export const processSettings = {
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address of the health and metrics port.'),
  HEALTH_PORT: wholeNumber({ min: 0, max: 65_535, fallback: 9464 }).describe(
    'Port of /livez, /readyz and /metrics; 0 takes any free one.',
  ),
  SHUTDOWN_GRACE_MS: wholeNumber({ min: 0, max: 600_000, fallback: 10_000 }).describe(
    'Milliseconds in which running work may finish after SIGTERM.',
  ),
};

/** Of a service that clients reach through load balancers. */
export const frontSettings = {
  SHUTDOWN_DELAY_MS: wholeNumber({ min: 0, max: 600_000, fallback: 0 }).describe(
    'Milliseconds before SHUTDOWN_GRACE_MS in which it still takes requests while /readyz says no, for load balancers to leave it.',
  ),
};
