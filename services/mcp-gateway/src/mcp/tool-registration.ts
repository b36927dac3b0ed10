import type { Tool } from '../tools/define-tool.js';
import { hintsOf, type ToolHints } from '../tools/tool-hints.js';
import type { JsonSchema } from '../tools/argument-schema.js';

/** A Standard Schema that is listed but lets every value through, since `ToolRunner` parses both sides itself. */
interface ListedSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'lectern';
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
    readonly validate: (value: unknown) => { value: unknown };
  };
}

/** A tool in the form in which the SDK takes it. */
export interface ToolRegistration {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ListedSchema;
  readonly outputSchema: ListedSchema;
  readonly annotations: ToolHints;
}

/** A tool as `tools/list` shows it. */
export function describeTool(tool: Tool): Record<string, unknown> {
  const { title, description, annotations } = registrationOf(tool);
  return {
    name: tool.name,
    title,
    description,
    inputSchema: tool.argumentSchema['~standard'].jsonSchema.input(),
    outputSchema: tool.outputJsonSchema,
    annotations,
  };
}

/** What the SDK is given for a tool. */
export function registrationOf(tool: Tool): ToolRegistration {
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: listed(tool.argumentSchema['~standard'].jsonSchema.input()),
    outputSchema: listed(tool.outputJsonSchema),
    annotations: hintsOf(tool),
  };
}

function listed(schema: JsonSchema): ListedSchema {
  const json = (): Record<string, unknown> => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'lectern',
      jsonSchema: { input: json, output: json },
      validate: (value) => ({ value }),
    },
  };
}
