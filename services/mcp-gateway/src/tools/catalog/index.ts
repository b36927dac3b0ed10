import type { Tool } from '../define-tool.js';
import { createKnowledgeBaseTool } from './create-knowledge-base.tool.js';
import { deleteDocumentTool } from './delete-document.tool.js';
import { getDocumentContentTool } from './get-document-content.tool.js';
import { getIngestionStatusTool } from './get-ingestion-status.tool.js';
import { getMcpCapabilitiesTool } from './get-mcp-capabilities.tool.js';
import { listDocumentsTool } from './list-documents.tool.js';
import { listKnowledgeBasesTool } from './list-knowledge-bases.tool.js';
import { searchKnowledgeBaseTool } from './search-knowledge-base.tool.js';
import { uploadTextDocumentTool } from './upload-text-document.tool.js';

/** Every tool there is, in the order in which clients see them. */
export const catalog: readonly Tool[] = [
  searchKnowledgeBaseTool,
  listKnowledgeBasesTool,
  listDocumentsTool,
  getDocumentContentTool,
  getIngestionStatusTool,
  getMcpCapabilitiesTool,
  createKnowledgeBaseTool,
  uploadTextDocumentTool,
  deleteDocumentTool,
];
