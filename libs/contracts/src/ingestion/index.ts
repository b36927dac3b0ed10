export { createKnowledgeBase } from './create-knowledge-base.js';
export { maxInlineBytes, submitDocument } from './submit-document.js';
export { deleteDocument } from './delete-document.js';
