import { maxBodyBytes } from '../../src/mcp/read-json.js';
import { ids } from '../stub-services.js';
import { call, withHeaders, type Era, type Sent } from './eras.js';

const list = (era: Era): Sent => call(era, 'list_documents');
const search = (era: Era, args: Record<string, unknown>): Sent =>
  call(era, 'search_knowledge_base', { query: 'x', ...args });

const read = (era: Era, uri: unknown, name = String(uri)): Sent =>
  withHeaders(era.request('resources/read', { uri }), { 'mcp-name': name });

/** Rows that are one message and its answer: what is sent, by title of the row in docs/PROTOCOL.md. */
export const messages: Readonly<Record<string, (era: Era, reader: string) => Sent>> = {
  'nothing wrong': list,
  'invalid JSON': (era) => ({ ...list(era), body: '{"jsonrpc":' }),
  'empty body': (era) => ({ ...list(era), body: '' }),
  'JSON that is no message': (era) => ({ ...list(era), body: '{"hello":1}' }),
  'wrong content type': (era) => withHeaders(list(era), { 'content-type': 'text/plain' }),
  'body over the limit': (era) => withHeaders(list(era), { 'content-length': String(maxBodyBytes + 1) }),
  'two messages in one body': (era) => {
    const { headers, body } = list(era);
    return { headers, body: [body, { ...(body as object), id: 2 }] };
  },
  'unknown method': (era) => era.request('documents/burn'),
  'unknown tool': (era) => call(era, 'drop_database'),
  'arguments that are no object': (era) => era.request('tools/call', { name: 'list_documents', arguments: 7 }),
  'over 100 arguments': (era) =>
    search(era, Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]))),
  'argument of a wrong type': (era) => search(era, { query: 7 }),
  'unknown argument': (era) => search(era, { tenant_id: 'x' }),
  'alias and canonical spelling, same value': (era) => search(era, { top_k: 3, topK: 3 }),
  'alias and canonical spelling, two values': (era) => search(era, { top_k: 3, topK: 4 }),
  'tool with a name of JavaScript': (era) => call(era, 'constructor'),
  'URI that is no text': (era) => read(era, 7, 'x'),
  'URI over the limit': (era) => read(era, `kb://documents/${'a'.repeat(2048)}`),
  'no `MCP-Protocol-Version`': (era) => withHeaders(list(era), { 'mcp-protocol-version': undefined }),
  'no `Mcp-Method`': (era) => withHeaders(list(era), { 'mcp-method': undefined }),
  'no `Mcp-Name`': (era) => withHeaders(list(era), { 'mcp-name': undefined }),
  '`MCP-Protocol-Version` of the other era': (era) =>
    withHeaders(list(era), { 'mcp-protocol-version': era.otherRevision }),
  '`Mcp-Method` of another method': (era) => withHeaders(list(era), { 'mcp-method': 'tools/list' }),
  '`Mcp-Name` of another tool': (era) => withHeaders(list(era), { 'mcp-name': 'list_knowledge_bases' }),
  'unsupported version': (era) => era.request('tools/list', {}, '1999-01-01'),
  '`initialize` with an unsupported version': (era) =>
    era.request('initialize', {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }),
  'bad `Host`': (era) => withHeaders(list(era), { host: 'evil.example' }),
  'bad `Origin`': (era) => withHeaders(list(era), { origin: 'https://evil.example' }),
  '`Origin: null`': (era) => withHeaders(list(era), { origin: 'null' }),
  'no credential': (era) => withHeaders(list(era), { authorization: '' }),
  'unknown credential': (era) => withHeaders(list(era), { authorization: 'Bearer lct_unknown' }),
  'missing scope': (era, reader) =>
    withHeaders(call(era, 'create_knowledge_base', { name: 'x' }), { authorization: `Bearer ${reader}` }),
  'danger that nobody confirmed': (era) => call(era, 'delete_document', { documentId: ids.document }),
};
