import { createKnowledgeBase, knowledgeBaseSchema } from '@lectern/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';

export const createKnowledgeBaseTool = defineTool({
  name: 'create_knowledge_base',
  title: 'Create a knowledge base',
  description:
    'Makes an empty knowledge base that documents can be uploaded to. Use it when no existing one fits; ' +
    'list_knowledge_bases shows what there is. Returns the new knowledge base with its id. A name can be used once.',
  scope: 'kb:write',
  permission: 'write',
  toolsets: ['localbase'],
  input: z.object({
    name: z.string().trim().min(1, 'is empty').max(200).describe('A short name, unique among the knowledge bases.'),
    description: z.string().trim().max(2000).default('').describe('What belongs into it.'),
  }),
  output: z.object({ knowledgeBase: knowledgeBaseSchema }),
  operation: createKnowledgeBase,
  toAnswer: ({ knowledgeBase }) => ({
    sentence: `Created knowledge base ${JSON.stringify(knowledgeBase.name)} with id ${knowledgeBase.id}.`,
  }),
});
