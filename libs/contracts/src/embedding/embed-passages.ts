import { z } from 'zod';
import { vectorSchema } from '../common/vector.js';
import { defineOperation } from '../operation.js';
import { modelKeySchema } from './embed-query.js';

/** The vectors of up to 16 passages, in their order. A text that can't be embedded fails alone. */
export const embedPassages = defineOperation({
  name: 'embedding.embed_passages',
  lane: 'bulk',
  retry: 'safe',
  timeoutMs: 60_000,
  request: z.object({ model: modelKeySchema, texts: z.array(z.string().min(1)).min(1).max(16) }),
  response: z.object({
    results: z.array(
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true), vector: vectorSchema }),
        z.object({ ok: z.literal(false), reason: z.enum(['too_long', 'rejected']) }),
      ]),
    ),
  }),
});
