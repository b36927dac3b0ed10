import { maxInlineBytes } from '@lectern/contracts';
import { z } from 'zod';
import { product } from '../../product.js';
import { defineLocalTool } from '../define-tool.js';
import { permissions, type Permission } from '../permission.js';
import type { ServerFacts } from '../server-facts.js';

const toolSchema = z.object({
  name: z.string(),
  readOnly: z.boolean(),
  permissionLevel: z.enum(permissions),
  requiredScope: z.string(),
});

export const getMcpCapabilitiesTool = defineLocalTool({
  name: 'get_mcp_capabilities',
  title: 'Show the server capabilities',
  description:
    'Describes this server: version, transport, the tools that are listed to you with their permission level and scope, ' +
    'limits, and how dangerous calls are confirmed. Use it to find out what is possible here before you try. It says ' +
    'nothing about documents and returns no secret.',
  scope: 'kb:read',
  permission: 'read-only',
  toolsets: ['localbase'],
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    jsonrpc: z.string(),
    transport: z.string(),
    basePath: z.string(),
    readOnly: z.boolean(),
    toolsets: z.array(z.string()),
    toolCount: z.number().int(),
    permissionCounts: z.object({
      'read-only': z.number().int(),
      write: z.number().int(),
      danger: z.number().int(),
    }),
    tools: z.array(toolSchema),
    auth: z.object({ type: z.string() }),
    dangerousToolGate: z.string().describe('How a person confirms a danger tool.'),
    limits: z.object({
      requestTimeoutSeconds: z.number(),
      inlineUploadBytes: z.number().int(),
    }),
  }),
  answer: ({ basePath, readOnly, toolsets, requestTimeoutSeconds, tools }) => ({
    name: product.name,
    version: product.version,
    jsonrpc: '2.0',
    transport: 'http',
    ...{ basePath, readOnly },
    toolsets: [...toolsets],
    toolCount: tools.length,
    permissionCounts: countPermissions(tools),
    tools: tools.map(({ name, permission, scope }) => ({
      name,
      readOnly: permission === 'read-only',
      permissionLevel: permission,
      requiredScope: scope,
    })),
    auth: { type: 'bearer' },
    dangerousToolGate: 'X-MCP-Confirm',
    limits: { requestTimeoutSeconds, inlineUploadBytes: maxInlineBytes },
  }),
  toAnswer: (facts) => ({
    sentence: `${product.title} ${facts.version} with ${facts.toolCount} tool(s):\n${JSON.stringify(facts, null, 2)}`,
  }),
});

function countPermissions(tools: ServerFacts['tools']): Record<Permission, number> {
  const count = (permission: Permission): number => tools.filter((tool) => tool.permission === permission).length;
  return { 'read-only': count('read-only'), write: count('write'), danger: count('danger') };
}
