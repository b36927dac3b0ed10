import type { Database } from '@lectern/database';
import type { ServiceClient } from '@lectern/transport';
import { Module, type DynamicModule } from '@nestjs/common';
import type { SearchConfig } from './config.js';
import { DocumentsController } from './documents/documents.controller.js';
import { DocumentsRepository } from './documents/documents.repository.js';
import { DocumentsService } from './documents/documents.service.js';
import { IngestionStatusController } from './ingestion-status/ingestion-status.controller.js';
import { IngestionStatusRepository } from './ingestion-status/ingestion-status.repository.js';
import { KnowledgeBasesController } from './knowledge-bases/knowledge-bases.controller.js';
import { KnowledgeBasesRepository } from './knowledge-bases/knowledge-bases.repository.js';
import { SearchController } from './search/search.controller.js';
import { SearchRepository } from './search/search.repository.js';
import { SearchService } from './search/search.service.js';

@Module({})
export class AppModule {
  static with(config: SearchConfig, database: Database, client: ServiceClient): DynamicModule {
    const search = new SearchService(new SearchRepository(database), client, config);
    return {
      module: AppModule,
      controllers: [SearchController, DocumentsController, KnowledgeBasesController, IngestionStatusController],
      providers: [
        { provide: SearchService, useValue: search },
        { provide: DocumentsService, useValue: new DocumentsService(new DocumentsRepository(database)) },
        { provide: KnowledgeBasesRepository, useValue: new KnowledgeBasesRepository(database) },
        { provide: IngestionStatusRepository, useValue: new IngestionStatusRepository(database) },
      ],
    };
  }
}
