import { getIngestionStatus, listKnowledgeBases, ServiceError, submitDocument } from '@lectern/contracts';
import { z } from 'zod';
import type { JsonSchema } from '../../src/tools/argument-schema.js';
import { defineLocalTool, defineTool, type Tool } from '../../src/tools/define-tool.js';
import { ingestionProgress, isSettled } from '../../src/tools/ingestion-progress.js';
import { ids } from '../stub-services.js';

// Fixtures whose answers a tool of the catalogue could give: these go the whole path of a call, the first and the third
// as far as a service.

const facts = { scope: 'kb:read', permission: 'read-only', toolsets: [] } as const;
const described = (name: string, description: string) => ({ name, title: name, description });

const simpleText = defineTool({
  ...described('test_simple_text', 'Answers a fixed text after asking a service.'),
  ...facts,
  input: z.object({}),
  output: z.object({ knowledgeBases: z.number() }),
  operation: listKnowledgeBases,
  toOutput: ({ items }) => ({ knowledgeBases: items.length }),
  toAnswer: () => ({ sentence: 'This is a simple text response for testing.' }),
});

const errorHandling = defineLocalTool({
  ...described('test_error_handling', 'Always fails.'),
  ...facts,
  input: z.object({}),
  output: z.object({}),
  answer: () => {
    throw new ServiceError('conflict', 'This tool intentionally returns an error for testing');
  },
  toAnswer: () => ({ sentence: 'never' }),
});

const withProgress = defineTool({
  ...described('test_tool_with_progress', 'Starts work in a service and reports how far it is.'),
  ...facts,
  input: z.object({}),
  output: z.object({ status: z.string() }),
  operation: submitDocument,
  follow: {
    operation: getIngestionStatus,
    toRequest: ({ documentId }) => ({ documentId }),
    isDone: isSettled,
    toProgress: ingestionProgress,
    gone: 'The work is gone.',
  },
  toRequest: () => ({
    knowledgeBaseId: ids.knowledgeBase,
    fileName: 'a.md',
    content: 'x',
  }),
  toOutput: ({ status }, _input, followed) => ({ status: followed?.status ?? status }),
  toAnswer: ({ status }) => ({ sentence: `The work is ${status}.` }),
});

const mirroredArgument = defineLocalTool({
  ...described('test_x_mcp_header', 'Takes an argument that is mirrored in a header.'),
  ...facts,
  input: z.object({ region: z.string().optional().describe('A region.').meta({ 'x-mcp-header': 'Region' }) }),
  output: z.object({}),
  answer: () => ({}),
  toAnswer: () => ({ sentence: 'The header matches the argument.' }),
});

/** Keywords that a client has to see exactly as they were written. */
const richSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // A keyword of JSON Schema, and no promise.
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const { argumentSchema, ...listsOnly } = defineLocalTool({
  ...described('json_schema_2020_12_tool', 'Lists a schema with many keywords.'),
  ...facts,
  input: z.object({}),
  output: z.object({}),
  answer: () => ({}),
  toAnswer: () => ({ sentence: 'Listed.' }),
});
const richlyTyped: Tool = {
  ...listsOnly,
  argumentSchema: {
    '~standard': {
      ...argumentSchema['~standard'],
      jsonSchema: { input: () => richSchema, output: () => richSchema },
    },
  },
};

export const runTools: readonly Tool[] = [simpleText, errorHandling, withProgress, mirroredArgument, richlyTyped];
