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

/** Most unknown arguments that a refusal names. */
const maxNamed = 10;

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
        const unknown = Object.keys(folded).filter((name) => !Object.hasOwn(input.shape, name));
        if (unknown.length > 0) issues.push({ message: describeUnknown(unknown, fields) });
        if (issues.length > 0) return { issues };
        const parsed = strict.safeParse(folded);
        return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
      },
    },
  };
}

/** Names a few of what a tool does not take, shortened, and all that it takes. */
function describeUnknown(unknown: readonly string[], fields: readonly { name: string }[]): string {
  const named = unknown.slice(0, maxNamed).map((name) => JSON.stringify(name.slice(0, 64).toWellFormed()));
  const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : '';
  const known = fields.length > 0 ? `the arguments are ${fields.map(({ name }) => name).join(', ')}` : 'it takes none';
  return `Unrecognized key${unknown.length > 1 ? 's' : ''}: ${named.join(', ')}${more}; ${known}`;
}

/** The snake_case of a camelCase name and the other way round; the name itself where both are the same. */
export function otherSpelling(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * False when both spellings are given with different values. Objects always differ: no argument is one, and to compare
 * them would take a stack as deep as they are.
 */
function foldAlias(values: Record<string, unknown>, name: string, alias: string): boolean {
  if (alias === name || !Object.hasOwn(values, alias)) return true;
  const given = values[alias];
  delete values[alias];
  if (!Object.hasOwn(values, name)) {
    values[name] = given;
    return true;
  }
  return values[name] === given;
}

function clamp(value: unknown, { min, max }: Bounds): unknown {
  if (typeof value !== 'number' || Number.isNaN(value)) return value;
  return Math.min(max, Math.max(min, Math.trunc(value)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
