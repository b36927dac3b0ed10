import { createHash } from 'node:crypto';
import {
  createKnowledgeBase,
  describeModel,
  ServiceError,
  type Caller,
  type RequestOf,
  type ResponseOf,
} from '@lectern/contracts';
import type { CallContext, ServiceClient } from '@lectern/transport';
import { cleanLine, cleanText } from '../documents/clean-text.js';
import { NameTakenError, type KnowledgeBasesRepository } from './knowledge-bases.repository.js';

type Request = RequestOf<typeof createKnowledgeBase>;
type Response = ResponseOf<typeof createKnowledgeBase>;

export class KnowledgeBasesService {
  constructor(
    private readonly repository: KnowledgeBasesRepository,
    private readonly client: ServiceClient,
  ) {}

  /** Makes a knowledge base on the current embedding model; the same key gives the same one back. */
  async create(request: Request, call: CallContext): Promise<Response> {
    const { tenantId } = call.caller;
    const name = cleanLine(request.name);
    if (name === '') throw new ServiceError('invalid_request', 'name: has no visible character.');
    const key = answerKey(request, call.caller);
    const stored = await this.repository.storedAnswer(tenantId, key, call.signal);
    if (stored) return sameRequest(stored, name);
    const { model } = await this.client.call(describeModel, {}, call);
    const spaceId = await this.repository.ensureSpace(tenantId, model, call.signal);
    const base = { name, description: cleanText(request.description), spaceId };
    const answer = await this.repository.create(tenantId, base, key, call.signal).catch(explainNameTaken);
    return sameRequest(answer, name);
  }
}

/** Without a key of the caller's own, the call itself is one: its transport may deliver it twice. */
function answerKey(request: Request, caller: Caller): string {
  if (request.idempotencyKey !== undefined) return `key:${request.idempotencyKey}`;
  const call = JSON.stringify([caller.subject, caller.requestId, request.name, request.description]);
  return `call:${createHash('sha256').update(call).digest('hex')}`;
}

function sameRequest(stored: unknown, name: string): Response {
  const answer = createKnowledgeBase.response.parse(stored);
  if (answer.knowledgeBase.name === name) return answer;
  throw new ServiceError(
    'conflict',
    'idempotencyKey: was used for a knowledge base of another name. Use a new key for a new knowledge base.',
  );
}

function explainNameTaken(error: unknown): never {
  if (!(error instanceof NameTakenError)) throw error;
  throw new ServiceError(
    'conflict',
    'There is a knowledge base of this name already. Choose another name, or use the one that list_knowledge_bases shows.',
    { cause: error },
  );
}
