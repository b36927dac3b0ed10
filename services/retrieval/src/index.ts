export { retrievalConfig, searchSettings, type SearchConfig } from './config.js';
export { createService, type RetrievalPorts } from './service.js';
// The statement of a search and what goes into it, for the benchmark that runs it alone.
export { candidateQuery, candidateValues } from './search/candidate-query.js';
export { chooseLegs } from './search/legs.js';
export { weighTerms } from './search/lexical-weights.js';
export { candidatesPerLeg } from './search/search.repository.js';
