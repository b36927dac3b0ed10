import { specTypeSchemas } from '@modelcontextprotocol/server';
import { RpcHttpError } from '../http/http-error.js';
import { messagesIn, type Message } from './messages.js';

const invalidRequestCode = -32_600;
const invalidParamsCode = -32_602;

/** As many as the SDK takes, which looks at each before it counts them. */
const maxMessages = 100;
/** Of each object that the SDK validates key by key. No client needs as many, and 200,000 of them take it seconds. */
const maxKeys = 100;
const maxTextLengths = { name: 256, uri: 2048 };
const maxIssues = 3;

/** Validated here since the SDK answers some of their faults as defects of its own. */
const requestSchemas = new Map(
  Object.entries({
    initialize: specTypeSchemas.InitializeRequest,
    'tools/list': specTypeSchemas.ListToolsRequest,
    'tools/call': specTypeSchemas.CallToolRequest,
    'resources/list': specTypeSchemas.ListResourcesRequest,
    'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
    'resources/read': specTypeSchemas.ReadResourceRequest,
    'prompts/list': specTypeSchemas.ListPromptsRequest,
    'prompts/get': specTypeSchemas.GetPromptRequest,
  }),
);

/** What names are looked up in has these keys by nature, so that the SDK finds something under them. */
const kindsOfNames = new Map([
  ['tools/call', 'Tool'],
  ['prompts/get', 'Prompt'],
]);

/**
 * The messages of a body. Throws an {@link RpcHttpError} for what the SDK would answer late, at length or as its defect:
 * of a batch nothing is run then. Invalid parameters of a request of the modern era are answered 400, as the protocol
 * wants it; older ones, under whose status clients look for no error, 200.
 */
export function checkedMessages(body: unknown, isModern: boolean): readonly Message[] {
  if (Array.isArray(body) && body.length > maxMessages) {
    throw new RpcHttpError(400, invalidRequestCode, `A batch has at most ${maxMessages} messages.`);
  }
  const messages = messagesIn(body);
  for (const message of messages) {
    const invalid = invalidParams(message, isModern);
    const fault = invalid === undefined ? reservedName(message) : `Invalid params: ${invalid}.`;
    if (fault === undefined) continue;
    const { id } = message;
    const hasId = !Array.isArray(body) && (typeof id === 'string' || typeof id === 'number');
    const isFine = hasId && (invalid === undefined || !isModern);
    throw new RpcHttpError(isFine ? 200 : 400, invalidParamsCode, fault, {}, hasId ? id : null);
  }
  return messages;
}

/** Sizes come first: the schemas take time for each key. */
function invalidParams(message: Message, isModern: boolean): string | undefined {
  const { id, method, params } = message;
  const objects = { message, params, arguments: params?.arguments, _meta: params?._meta };
  for (const [name, value] of Object.entries(objects)) {
    if (hasMoreKeys(value, maxKeys)) return `${name} has more than ${maxKeys} keys; send fewer`;
  }
  if (method === undefined || id === undefined) return undefined;
  // The modern era has no such method, whatever its parameters are.
  if (method === 'initialize' && isModern) return undefined;
  for (const [field, max] of Object.entries(maxTextLengths)) {
    const text = params?.[field];
    if (typeof text === 'string' && text.length > max) return `${field} takes at most ${max} characters`;
  }
  return schemaFaults(message);
}

function hasMoreKeys(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let count = 0;
  for (const _ in value) if (++count > max) return true;
  return false;
}

function schemaFaults(message: Message): string | undefined {
  const result = requestSchemas.get(message.method ?? '')?.['~standard'].validate(message);
  if (!result || result instanceof Promise || !result.issues) return undefined;
  const faults = result.issues.slice(0, maxIssues).map(({ path = [], message: words }) => {
    const [, ...field] = path.map((key) => String(typeof key === 'object' ? key.key : key).slice(0, 64));
    return [...(field.length > 0 ? [field.join('.')] : []), words.replace('Invalid input: ', '')].join(': ');
  });
  return faults.join('; ');
}

function reservedName({ method = '', params }: Message): string | undefined {
  const kind = kindsOfNames.get(method);
  const name = params?.name;
  return kind && typeof name === 'string' && name in Object.prototype ? `${kind} ${name} not found` : undefined;
}
