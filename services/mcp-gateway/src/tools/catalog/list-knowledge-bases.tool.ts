import { knowledgeBaseSchema, listKnowledgeBases } from '@lectern/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import { security, securitySchema } from '../untrusted.js';

export const listKnowledgeBasesTool = defineTool({
  name: 'list_knowledge_bases',
  title: 'List knowledge bases',
  description:
    'Lists all knowledge bases that you can read, newest first, with id, name, description, number of documents and ' +
    'time of creation. Use it to find the id that a search or an upload takes. It does not list documents.',
  scope: 'kb:read',
  permission: 'read-only',
  toolsets: ['localbase'],
  input: z.object({}),
  output: z.object({ security: securitySchema, items: z.array(knowledgeBaseSchema) }),
  operation: listKnowledgeBases,
  toOutput: ({ items }) => ({ security, items }),
  toAnswer: ({ items }) => ({
    sentence: items.length === 0 ? 'There is no knowledge base yet.' : `${items.length} knowledge base(s):`,
    untrusted: items.map(({ id, name, description, documentCount, createdAt }) => ({
      label: `${id} · ${documentCount} document(s) · created ${createdAt}`,
      text: description ? `${name}\n${description}` : name,
    })),
  }),
});
