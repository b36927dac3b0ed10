export { describeModel } from './describe-model.js';
export { embedQuery, modelKeySchema, type ModelKey } from './embed-query.js';
export { embedPassages } from './embed-passages.js';
