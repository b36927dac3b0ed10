import type { z } from 'zod';

/** Every fault of a configuration at once, in words that name the setting and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly faults: readonly string[]) {
    super(`the configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Reads the settings that a schema names from an environment. Empty values count as absent, as compose files write
 * them. Throws {@link ConfigError} with all faults.
 */
export function loadConfig<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<Schema>> {
  const present = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  const result = schema.safeParse(present);
  if (!result.success) {
    throw new ConfigError(
      result.error.issues.map((issue) => {
        const name = String(issue.path[0] ?? 'settings');
        return name in present ? `${name}: ${issue.message}` : `${name} is not set. ${describe(schema, name)}`;
      }),
    );
  }
  return Object.freeze(result.data);
}

function describe(schema: z.ZodObject, name: string): string {
  const field = schema.shape[name] as z.ZodType | undefined;
  return field?.description ?? '';
}

/** The same for a process that is starting: prints the faults and ends with exit code 1. */
export function loadConfigOrExit<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<Schema>> {
  try {
    return loadConfig(schema, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
