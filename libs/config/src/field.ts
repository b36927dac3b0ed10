import { z } from 'zod';

/** A setting whose value is never printed. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), secret: true });
}

const truthy = new Set(['1', 'true', 'yes', 'on']);
const falsy = new Set(['0', 'false', 'no', 'off']);

/** true/1/yes/on or false/0/no/off, in any case. */
export function flag(fallback: boolean): z.ZodType<boolean> {
  return z
    .string()
    .toLowerCase()
    .refine((text) => truthy.has(text) || falsy.has(text), 'takes true or false')
    .transform((text) => truthy.has(text))
    .default(fallback);
}

/** A comma-separated list; blanks around items are dropped. */
export function list(fallback: readonly string[] = []): z.ZodType<string[]> {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .default([...fallback]);
}

export interface NumberBounds {
  min: number;
  max: number;
  fallback: number;
}

/** A whole number within bounds. */
export function wholeNumber({ min, max, fallback }: NumberBounds): z.ZodType<number> {
  return z.coerce
    .number({ error: `takes a whole number from ${min} to ${max}` })
    .int()
    .min(min)
    .max(max)
    .default(fallback);
}

/** A decimal number within bounds. */
export function decimal({ min, max, fallback }: NumberBounds): z.ZodType<number> {
  return z.coerce
    .number({ error: `takes a number from ${min} to ${max}` })
    .min(min)
    .max(max)
    .default(fallback);
}
