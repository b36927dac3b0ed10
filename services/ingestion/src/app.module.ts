import type { Logger } from '@lectern/telemetry';
import { Module, type DynamicModule } from '@nestjs/common';
import { DeletionService } from './documents/deletion.service.js';
import { DocumentsController } from './documents/documents.controller.js';
import { DocumentsService } from './documents/documents.service.js';
import { failureLogger } from './failure-log.js';
import { KnowledgeBasesController } from './knowledge-bases/knowledge-bases.controller.js';
import { KnowledgeBasesService } from './knowledge-bases/knowledge-bases.service.js';

export interface AppServices {
  knowledgeBases: KnowledgeBasesService;
  documents: DocumentsService;
  deletion: DeletionService;
  logger: Logger;
}

@Module({})
export class AppModule {
  static with({ knowledgeBases, documents, deletion, logger }: AppServices): DynamicModule {
    return {
      module: AppModule,
      controllers: [KnowledgeBasesController, DocumentsController],
      providers: [
        { provide: KnowledgeBasesService, useValue: knowledgeBases },
        { provide: DocumentsService, useValue: documents },
        { provide: DeletionService, useValue: deletion },
        { provide: failureLogger, useValue: logger },
      ],
    };
  }
}
