// What the benchmarks share with the scenarios.
export { callTool, connectClient } from './client.js';
export { processTree } from './processes.js';
export { quantile } from './report.js';
export { startServer, type ServerProcess } from './server-process.js';
export { startTestStack, type TestStack } from './stack.js';
export { startTraceCollector, type CollectedSpan } from './trace-collector.js';
export {
  importPassages,
  languages,
  readPassages,
  readQuestions,
  xquadIsThere,
  type Language,
  type Passage,
} from './xquad.js';
