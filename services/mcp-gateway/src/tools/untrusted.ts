import { securityNotice } from '@lectern/guard';
import { z } from 'zod';

/** Stands first in every structured answer that carries stored text: some clients show a model nothing else. */
export const securitySchema = z.object({
  notice: z.string().describe('What to make of the stored text below.'),
  untrusted: z.literal(true),
});

export const security: z.output<typeof securitySchema> = { notice: securityNotice, untrusted: true };
