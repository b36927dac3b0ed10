import { z } from 'zod';

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ArgumentIssue {
  readonly message: string;
  readonly path?: readonly PropertyKey[] | undefined;
}

export type ParsedArguments =
  | { readonly value: Record<string, unknown>; readonly issues?: undefined }
  | { readonly issues: readonly ArgumentIssue[] };

/**
 * What a tool takes, as a Standard Schema: it lists the canonical schema and accepts more than that, namely the other
 * spelling of each name and numbers out of bounds, which it clamps. Unknown names are refused.
 */
export interface ArgumentSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'lectern';
    readonly jsonSchema: { readonly input: () => JsonSchema; readonly output: () => JsonSchema };
    readonly validate: (value: unknown) => ParsedArguments;
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const clampedBounds = new WeakMap<z.ZodType, Bounds>();

/** A whole number that is brought into its bounds instead of being refused. */
export function clampedInteger(options: Bounds & { fallback: number; description: string }): z.ZodDefault<z.ZodInt> {
  const { min, max, fallback, description } = options;
  const schema = z.int().min(min).max(max).default(fallback).describe(description);
  clampedBounds.set(schema, { min, max });
  return schema;
}

/** Makes the argument schema of a tool. Its JSON Schema is converted once. */
export function argumentSchema(input: z.ZodObject): ArgumentSchema {
  const strict = input.strict();
  const json = strict['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const fields = Object.entries(input.shape).map(([name, schema]) => ({
    name,
    alias: otherSpelling(name),
    bounds: clampedBounds.get(schema),
  }));
  return {
    '~standard': {
      version: 1,
      vendor: 'lectern',
      jsonSchema: { input: () => json, output: () => json },
      validate(value) {
        if (!isRecord(value)) return { issues: [{ message: 'the arguments are an object' }] };
        const folded: Record<string, unknown> = { ...value };
        const issues: ArgumentIssue[] = [];
        for (const { name, alias, bounds } of fields) {
          if (!foldAlias(folded, name, alias)) {
            issues.push({ path: [name], message: `${name} and ${alias} name the same argument; give one of them` });
          }
          if (bounds) folded[name] = clamp(folded[name], bounds);
        }
        if (issues.length > 0) return { issues };
        const parsed = strict.safeParse(folded);
        return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
      },
    },
  };
}

/** The snake_case of a camelCase name and the other way round; the name itself where both are the same. */
export function otherSpelling(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** False when both spellings are given with different values. */
function foldAlias(values: Record<string, unknown>, name: string, alias: string): boolean {
  if (alias === name || !Object.hasOwn(values, alias)) return true;
  const given = values[alias];
  delete values[alias];
  if (!Object.hasOwn(values, name)) {
    values[name] = given;
    return true;
  }
  return JSON.stringify(values[name]) === JSON.stringify(given);
}

function clamp(value: unknown, { min, max }: Bounds): unknown {
  if (typeof value !== 'number' || Number.isNaN(value)) return value;
  return Math.min(max, Math.max(min, Math.trunc(value)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
