export { ingestionConfig, jobSettings, type JobConfig } from './config.js';
export { createService, type IngestionPorts } from './service.js';
export { createInProcessJobQueue } from './jobs/in-process-job-queue.js';
export { jobBackOff, type JobQueue, type JobQueueOptions } from './jobs/job-queue.js';
