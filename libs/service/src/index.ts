export type { Service } from './service.js';
export { runService, type ServiceDefinition, type ServiceProcess } from './run-service.js';
