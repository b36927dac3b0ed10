import {
  completable,
  inputRequired,
  ResourceTemplate,
  type GetPromptResult,
  type InputRequest,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { png } from './content-tools.js';
import { isAnswered } from './input-tools.js';

type PromptContent = GetPromptResult['messages'][number]['content'];

const description = 'A fixture of the conformance suite.';
const argument = z.string().describe('An argument.');
// Built once: a schema can be made completable only one time.
const twoArguments = z.object({
  arg1: completable(z.string().describe('Completed.'), (start) => [`${start}is`, `${start}k`]),
  arg2: argument,
});

export function registerConformancePrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description }, () =>
    saying(words('This is a simple prompt for testing.')),
  );
  server.registerPrompt('test_prompt_with_arguments', { description, argsSchema: twoArguments }, ({ arg1, arg2 }) =>
    saying(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: argument }) },
    ({ resourceUri: uri }) =>
      saying(
        {
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        words('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () =>
    saying({ type: 'image', data: png, mimeType: 'image/png' }, words('Please analyze the image above.')),
  );
  const user_context: InputRequest = inputRequired.elicit({
    message: 'What context should the prompt use?',
    requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
  });
  server.registerPrompt('test_input_required_result_prompt', { description }, (context) =>
    isAnswered(context, { user_context })
      ? saying(words('The context was given.'))
      : inputRequired({ inputRequests: { user_context } }),
  );
}

export function registerConformanceResources(server: McpServer): void {
  const fixed = [
    { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    { uri: 'test://static-binary', mimeType: 'image/png', blob: png },
    { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched resource content' },
  ];
  for (const contents of fixed) {
    const { uri, mimeType } = contents;
    server.registerResource(uri, uri, { description, mimeType }, () => ({ contents: [contents] }));
  }
  server.registerResource(
    'test-template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description, mimeType: 'application/json' },
    ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  // A client of the 2025 protocol may subscribe; without a session there is no stream on which it could be told.
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.server.setRequestHandler(method, () => ({}));
  }
}

function words(text: string): PromptContent {
  return { type: 'text', text };
}

function saying(...contents: PromptContent[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
