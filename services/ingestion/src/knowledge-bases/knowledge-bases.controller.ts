import { createKnowledgeBase, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller, UseInterceptors } from '@nestjs/common';
import { FailureLog } from '../failure-log.js';
import { KnowledgeBasesService } from './knowledge-bases.service.js';

@UseInterceptors(FailureLog)
@Controller()
export class KnowledgeBasesController {
  constructor(private readonly knowledgeBases: KnowledgeBasesService) {}

  @Handles(createKnowledgeBase)
  create(request: RequestOf<typeof createKnowledgeBase>, call: CallContext) {
    return this.knowledgeBases.create(request, call);
  }
}
