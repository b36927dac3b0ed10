import { listKnowledgeBases, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller } from '@nestjs/common';
import { KnowledgeBasesRepository } from './knowledge-bases.repository.js';

@Controller()
export class KnowledgeBasesController {
  constructor(private readonly knowledgeBases: KnowledgeBasesRepository) {}

  @Handles(listKnowledgeBases)
  async list(_request: RequestOf<typeof listKnowledgeBases>, call: CallContext) {
    return { items: await this.knowledgeBases.list(call.caller.tenantId, call.signal) };
  }
}
