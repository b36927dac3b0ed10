export { searchChunks, searchHitSchema, searchScopeSchema, type SearchHit } from './search-chunks.js';
export { listKnowledgeBases } from './list-knowledge-bases.js';
export { listDocuments } from './list-documents.js';
export { getDocumentContent } from './get-document-content.js';
export { getIngestionStatus } from './get-ingestion-status.js';
