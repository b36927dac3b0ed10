import { getDocumentContent, listDocuments, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller } from '@nestjs/common';
import { DocumentsService } from './documents.service.js';

@Controller()
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  @Handles(listDocuments)
  list(request: RequestOf<typeof listDocuments>, call: CallContext) {
    return this.documents.list(request, call);
  }

  @Handles(getDocumentContent)
  content(request: RequestOf<typeof getDocumentContent>, call: CallContext) {
    return this.documents.content(request, call);
  }
}
