import { deleteDocument, submitDocument, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller, UseInterceptors } from '@nestjs/common';
import { FailureLog } from '../failure-log.js';
import { DeletionService } from './deletion.service.js';
import { DocumentsService } from './documents.service.js';

@UseInterceptors(FailureLog)
@Controller()
export class DocumentsController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly deletion: DeletionService,
  ) {}

  @Handles(submitDocument)
  submit(request: RequestOf<typeof submitDocument>, call: CallContext) {
    return this.documents.submit(request, call);
  }

  @Handles(deleteDocument)
  delete(request: RequestOf<typeof deleteDocument>, call: CallContext) {
    return this.deletion.remove(request, call);
  }
}
