export { retrievalConfig, searchSettings, type SearchConfig } from './config.js';
export { createService, type RetrievalPorts } from './service.js';
