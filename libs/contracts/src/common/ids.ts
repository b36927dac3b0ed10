import { z } from 'zod';

/** A lower-case UUID; ids that we make are version 7. */
export const idSchema = z.uuid().toLowerCase();
