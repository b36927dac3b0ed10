import { getIngestionStatus, ServiceError, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller } from '@nestjs/common';
import { IngestionStatusRepository } from './ingestion-status.repository.js';

@Controller()
export class IngestionStatusController {
  constructor(private readonly statuses: IngestionStatusRepository) {}

  @Handles(getIngestionStatus)
  async get(request: RequestOf<typeof getIngestionStatus>, { caller, signal }: CallContext) {
    const { jobId, documentId } = request;
    if ((jobId === undefined) === (documentId === undefined)) {
      throw new ServiceError('invalid_request', 'Give either jobId or documentId.');
    }
    const status = await this.statuses.find(caller.tenantId, request, signal);
    if (status) return status;
    throw new ServiceError(
      'not_found',
      jobId
        ? `There is no job ${jobId}. Ask by documentId, or call list_documents.`
        : `There is no document ${documentId}. Call list_documents for the ids.`,
    );
  }
}
