import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

type Requests = Record<string, InputRequest>;
type Outcome = CallToolResult | InputRequiredResult;

/** Seals how far a conversation of several rounds is. */
export const stateCodec = createRequestStateCodec<{ round: number }>({ key: 'k'.repeat(32) });

const text = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' as const } },
  required: [name],
});
const askName = inputRequired.elicit({ message: 'What is your name?', requestedSchema: text('name') });
const confirm = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});
const sample = (prompt: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });

/** Tools of one question each: what they ask, and whether they seal a state. */
const oneRound: Record<string, { requests: Requests; sealed?: true }> = {
  test_input_required_result_elicitation: { requests: { user_name: askName } },
  test_input_required_result_sampling: {
    requests: { capital_question: sample('What is the capital of France?') },
  },
  test_input_required_result_list_roots: { requests: { client_roots: inputRequired.listRoots() } },
  test_input_required_result_request_state: { requests: { confirm }, sealed: true },
  test_input_required_result_tampered_state: { requests: { confirm }, sealed: true },
  test_input_required_result_multiple_inputs: {
    requests: {
      user_name: askName,
      greeting: sample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
    sealed: true,
  },
  test_missing_capability: { requests: { greeting: sample('Generate a greeting') } },
  test_streaming_elicitation: { requests: { user_name: askName } },
  test_elicitation_sep1034_defaults: { requests: { form: formWithDefaults() } },
  test_elicitation_sep1330_enums: { requests: { form: formWithEnums() } },
};

const rounds = [
  { key: 'step1', message: 'Step 1: What is your name?', field: 'name' },
  { key: 'step2', message: 'Step 2: What is your favorite color?', field: 'color' },
];

/** Tools that want something of the client before they answer. */
export function registerInputTools(server: McpServer): void {
  for (const [name, { requests, sealed }] of Object.entries(oneRound)) {
    server.registerTool(name, { description: 'Asks the client once.' }, async (context) =>
      isAnswered(context, requests) ? answer(context, requests) : ask(requests, sealed && 1),
    );
  }
  server.registerTool(
    'test_sampling',
    { description: 'Lets the model of the client answer.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) => once(context, { answer: sample(prompt) }),
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) =>
      once(context, { answer: inputRequired.elicit({ message, requestedSchema: text('username') }) }),
  );
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks only for what the client declares.' },
    async (context) => once(context, requestsFor(context)),
  );
  server.registerTool('test_input_required_result_multi_round', { description: 'Asks twice.' }, async (context) => {
    const next = rounds[context.mcpReq.requestState<{ round: number }>()?.round ?? 0];
    if (!next) return { content: [{ type: 'text', text: 'Both rounds are done.' }] };
    const request = inputRequired.elicit({ message: next.message, requestedSchema: text(next.field) });
    return ask({ [next.key]: request }, rounds.indexOf(next) + 1);
  });
}

async function once(context: ServerContext, requests: Requests): Promise<Outcome> {
  return isAnswered(context, requests) ? answer(context, requests) : ask(requests);
}

async function ask(requests: Requests, round?: number): Promise<InputRequiredResult> {
  const state = round === undefined ? {} : { requestState: await stateCodec.mint({ round }) };
  return inputRequired({ inputRequests: requests, ...state });
}

export function isAnswered({ mcpReq }: ServerContext, requests: Requests): boolean {
  return Object.keys(requests).every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing');
}

function answer({ mcpReq }: ServerContext, requests: Requests): CallToolResult {
  const answers = Object.keys(requests).map((key) => inputResponse(mcpReq.inputResponses, key));
  const state = mcpReq.requestState() === undefined ? '' : ' state-ok';
  return { content: [{ type: 'text', text: `${JSON.stringify(answers)}${state}` }] };
}

function requestsFor(context: ServerContext): Requests {
  const declared = declaredBy(context);
  return {
    ...(declared.elicitation ? { user_name: askName } : {}),
    ...(declared.sampling ? { greeting: sample('Generate a greeting') } : {}),
  };
}

/** What the client of a modern request says that it can do; the SDK leaves the envelope untyped. */
function declaredBy({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}

function formWithDefaults(): InputRequest {
  return inputRequired.elicit({
    message: 'Review the form.',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
  });
}

function formWithEnums(): InputRequest {
  const plain = ['option1', 'option2', 'option3'];
  const titled = plain.map((option, at) => ({ const: `value${at + 1}`, title: option }));
  return inputRequired.elicit({
    message: 'Choose.',
    requestedSchema: {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: plain },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: plain, enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
    },
  });
}
