import { homedir } from 'node:os';
import { join } from 'node:path';
import { telemetrySettings } from '@lectern/config';
import { embeddingSettings } from '@lectern/embedding';
import { jobSettings } from '@lectern/ingestion';
import { gatewaySettings } from '@lectern/mcp-gateway';
import { searchSettings } from '@lectern/retrieval';
import { z } from 'zod';

export const defaultDataDir = join(homedir(), '.lectern');

/** Everything that embedded mode reads: the services' own settings, without what belongs to PostgreSQL and Redis. */
export const embeddedConfig = z.object({
  LECTERN_DATA_DIR: z
    .string()
    .default(defaultDataDir)
    .describe('Folder of the embedded database and of the uploaded files.'),
  LOG_LEVEL: telemetrySettings.LOG_LEVEL.default('warn').describe(telemetrySettings.LOG_LEVEL.description ?? ''),
  ...gatewaySettings.shape,
  ...jobSettings,
  ...searchSettings,
  ...embeddingSettings,
});
export type EmbeddedConfig = z.output<typeof embeddedConfig>;
