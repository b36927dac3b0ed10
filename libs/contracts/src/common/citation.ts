import { z } from 'zod';

/** Where a passage stands. Slicing the stored text at the offsets gives the passage exactly. */
export const citationSchema = z.object({
  startOffset: z.number().int().nonnegative().describe('First UTF-16 code unit of the passage in the stored text.'),
  endOffset: z.number().int().nonnegative().describe('UTF-16 code unit after the last of the passage.'),
  headingPath: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  page: z.number().int().positive().optional().describe('Page, in formats that have pages.'),
  sheet: z.string().optional().describe('Sheet, in tables.'),
  range: z.string().optional().describe('Cell or row range, in tables.'),
});
export type Citation = z.output<typeof citationSchema>;
