import { createSchema } from './0001-create-schema.js';
import { recordUploads } from './0002-record-uploads.js';
import { parseQuestionsOnce } from './0003-parse-questions-once.js';
import type { Migration } from './migration.js';

/** Every step, in its order. */
export const migrations: readonly Migration[] = [createSchema, recordUploads, parseQuestionsOnce];

/** The schema that this code needs. */
export const schemaVersion = migrations.length;
