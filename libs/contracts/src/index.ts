export {
  defineOperation,
  lanes,
  serviceNames,
  type Lane,
  type Operation,
  type RequestInput,
  type RequestOf,
  type ResponseOf,
  type ServiceName,
} from './operation.js';
export {
  errorCodes,
  isServiceError,
  ServiceError,
  storageFull,
  toServiceError,
  wireErrorSchema,
  type ErrorCode,
  type WireError,
} from './errors.js';
export { callerSchema, hasScope, scopes, type Caller, type Scope } from './caller.js';
export { idSchema } from './common/ids.js';
export { cursorSchema, pageRequest, pageResponse } from './common/page.js';
export { citationSchema, type Citation } from './common/citation.js';
export {
  contentTypeSchema,
  documentErrorSchema,
  documentSchema,
  documentStates,
  documentStateSchema,
  ingestionStages,
  ingestionStageSchema,
  type ContentType,
  type Document,
  type DocumentState,
  type IngestionStage,
} from './common/document.js';
export { knowledgeBaseSchema, type KnowledgeBase } from './common/knowledge-base.js';
export { embeddingModelSchema, type EmbeddingModel } from './common/embedding-space.js';
export { vectorSchema } from './common/vector.js';
export {
  getDocumentContent,
  getIngestionStatus,
  listDocuments,
  listKnowledgeBases,
  searchChunks,
  searchHitSchema,
  searchScopeSchema,
  type SearchHit,
} from './retrieval/index.js';
export { createKnowledgeBase, deleteDocument, maxInlineBytes, submitDocument } from './ingestion/index.js';
export { describeModel, embedPassages, embedQuery, modelKeySchema, type ModelKey } from './embedding/index.js';
