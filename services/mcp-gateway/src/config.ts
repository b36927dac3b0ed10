import {
  flag,
  frontSettings,
  list,
  postgresSettings,
  processSettings,
  redisSettings,
  secret,
  telemetrySettings,
  transportSettings,
  wholeNumber,
} from '@lectern/config';
import { z } from 'zod';
import { toolsets } from './tools/define-tool.js';

/** What the gateway itself reads; embedded mode needs no more than these. */
export const gatewaySettings = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber({ min: 0, max: 65_535, fallback: 8080 }).describe('Port to listen on; 0 takes any free one.'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'takes an http:// or https:// URL' })
    .optional()
    .describe('URL under which clients reach the server; its host and origin are allowed.'),
  MCP_BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'takes a path such as /mcp')
    .default('/mcp')
    .describe('Path of the MCP endpoint.'),
  MCP_ALLOWED_HOSTS: list(['localhost', '127.0.0.1', '[::1]']).describe(
    'Host headers that are answered, others get 421: name, name:port or name:*, comma-separated; * allows any.',
  ),
  MCP_ALLOWED_ORIGINS: list(['http://localhost:*', 'http://127.0.0.1:*', 'http://[::1]:*']).describe(
    'Origins of browser clients, others get 403: scheme://name:port or scheme://name:*, comma-separated.',
  ),
  MCP_TOKEN: secret(z.string().regex(/^[A-Za-z0-9._~+/-]{16,512}$/, 'takes 16 to 512 letters, digits or ._~+/-'))
    .optional()
    .describe('Fixed bearer token of the default tenant, beside the issued ones.'),
  MCP_READ_ONLY: flag(false).describe('Hides and refuses every tool that changes something.'),
  MCP_TOOLSETS: list(['all'])
    .pipe(z.array(z.enum(toolsets)).min(1))
    .describe(`Selections of tools that are offered: ${toolsets.join(', ')}.`),
  MCP_REQUEST_TIMEOUT_SECONDS: wholeNumber({ min: 1, max: 600, fallback: 15 }).describe(
    'Longest time of a request; past it the answer is 504.',
  ),
  SHUTDOWN_GRACE_MS: processSettings.SHUTDOWN_GRACE_MS,
  ...frontSettings,
});

export type GatewaySettings = Readonly<z.output<typeof gatewaySettings>>;

/** Everything that a gateway process of its own reads. */
export const gatewayConfig = z.object({
  ...gatewaySettings.shape,
  ...postgresSettings,
  ...redisSettings,
  ...transportSettings,
  ...telemetrySettings,
});
