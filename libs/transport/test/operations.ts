import { defineOperation } from '@lectern/contracts';
import { z } from 'zod';

const spec = {
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 8000,
  request: z.object({ text: z.string().max(900_000).default('default'), delayMs: z.number().default(0) }),
  response: z.object({ text: z.string(), tenantId: z.string(), replica: z.string() }),
} as const;

export const echo = defineOperation({ ...spec, name: 'retrieval.echo' });
export const echoInBulk = defineOperation({ ...spec, name: 'retrieval.echo_in_bulk', lane: 'bulk' });
export const echoOnce = defineOperation({ ...spec, name: 'retrieval.echo_once', retry: 'never' });
export const unanswered = defineOperation({ ...spec, name: 'retrieval.unanswered', timeoutMs: 300 });
export const vectors = defineOperation({
  ...spec,
  name: 'retrieval.vectors',
  request: z.object({ list: z.array(z.instanceof(Float32Array)), note: z.string() }),
  response: z.object({ list: z.array(z.instanceof(Float32Array)), note: z.string() }),
});
