export { retrievalConfig, searchSettings, type SearchConfig } from './config.js';
export { createService, type RetrievalPorts, type Service } from './service.js';
