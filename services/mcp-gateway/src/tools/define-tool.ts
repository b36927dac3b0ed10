import type { Operation, RequestInput, ResponseOf, Scope } from '@lectern/contracts';
import type { UntrustedBlock } from '@lectern/guard';
import type { z } from 'zod';
import { argumentSchema, type ArgumentSchema, type JsonSchema } from './argument-schema.js';
import type { Permission } from './permission.js';
import type { ServerFacts } from './server-facts.js';

/** Selections of tools for `MCP_TOOLSETS`; every tool is in `all`. */
export const toolsets = ['all', 'kb', 'localbase', 'rag', 'memory'] as const;
export type Toolset = (typeof toolsets)[number];

/** The answer in words, complete: some clients show a model nothing else. */
export interface Answer {
  /** Our own words. */
  readonly sentence: string;
  /** What documents, or whoever named them, control: it leaves inside the untrusted-data envelope. */
  readonly untrusted?: readonly UntrustedBlock[];
}

/** Progress of long work in percent. */
export interface Progress {
  readonly percent: number;
  readonly message: string;
}

interface ToolFacts<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** snake_case verb and noun, the same as the file's name; never reused for another meaning. */
  readonly name: string;
  /** At most 40 characters. */
  readonly title: string;
  /** For the model: what it does, when to use it, what it returns, what it does not do. 80 to 1,000 characters. */
  readonly description: string;
  readonly scope: Scope;
  readonly permission: Permission;
  /** Selections beside `all` that the tool is in. */
  readonly toolsets: readonly Toolset[];
  readonly input: Input;
  /** What clients may rely on; every answer is parsed with it. */
  readonly output: Output;
  /** What is going to happen, for the person who confirms; every danger tool has it, and no other. */
  readonly confirm?: string;
  toAnswer(output: z.output<Output>): Answer;
}

/** Long work that a tool starts and then watches for its caller, until it is done or time runs short. */
export interface Follow<Started extends Operation, Watched extends Operation> {
  readonly operation: Watched;
  toRequest(started: ResponseOf<Started>): RequestInput<Watched>;
  isDone(state: ResponseOf<Watched>): boolean;
  toProgress(state: ResponseOf<Watched>): Progress;
  /** What has become of the work when it can't be found any more, and what to do. */
  readonly gone: string;
}

/** How a tool is answered: by an operation of a service, or from what the gateway itself knows. */
export type Route = OperationRoute | LocalRoute;

export interface OperationRoute {
  readonly kind: 'operation';
  readonly operation: Operation;
  toRequest(input: unknown): Record<string, unknown>;
  toOutput(response: unknown, input: unknown, followed: unknown): unknown;
  readonly follow?: Follow<Operation, Operation> | undefined;
}

export interface LocalRoute {
  readonly kind: 'local';
  answer(facts: ServerFacts): unknown;
}

/** A tool as the rest of the gateway sees it. */
export interface Tool extends ToolFacts<z.ZodObject, z.ZodObject> {
  readonly route: Route;
  readonly argumentSchema: ArgumentSchema;
  readonly outputJsonSchema: JsonSchema;
}

type ToRequest<Input extends z.ZodObject, O extends Operation> = (input: z.output<Input>) => RequestInput<O>;
type ToOutput<Input extends z.ZodObject, Output extends z.ZodObject, O extends Operation, W extends Operation> = (
  response: ResponseOf<O>,
  input: z.output<Input>,
  followed: ResponseOf<W> | undefined,
) => z.input<Output>;

/** A mapper may be left out only where the shapes on its two sides are the same. */
type Mappers<Input extends z.ZodObject, Output extends z.ZodObject, O extends Operation, W extends Operation> = ([
  z.output<Input>,
] extends [RequestInput<O>]
  ? { readonly toRequest?: ToRequest<Input, O> }
  : { readonly toRequest: ToRequest<Input, O> }) &
  ([ResponseOf<O>] extends [z.input<Output>]
    ? { readonly toOutput?: ToOutput<Input, Output, O, W> }
    : { readonly toOutput: ToOutput<Input, Output, O, W> });

type OperationTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  O extends Operation,
  W extends Operation,
> = ToolFacts<Input, Output> & Mappers<Input, Output, O, W> & { readonly operation: O; readonly follow?: Follow<O, W> };

/** Declares a tool over an operation of a service. */
export function defineTool<
  const Input extends z.ZodObject,
  const Output extends z.ZodObject,
  O extends Operation,
  W extends Operation = never,
>(spec: OperationTool<Input, Output, O, W>): Tool {
  const { operation, follow, toRequest, toOutput } = spec as OperationTool<Input, Output, O, W> & {
    toRequest?: OperationRoute['toRequest'];
    toOutput?: OperationRoute['toOutput'];
  };
  return freezeTool(spec, {
    kind: 'operation',
    operation,
    follow: follow as Follow<Operation, Operation> | undefined,
    toRequest: toRequest ?? ((input) => input as Record<string, unknown>),
    toOutput: toOutput ?? ((response) => response),
  });
}

/** Declares a tool that the gateway answers itself. */
export function defineLocalTool<const Input extends z.ZodObject, const Output extends z.ZodObject>(
  spec: ToolFacts<Input, Output> & { readonly answer: (facts: ServerFacts) => z.input<Output> },
): Tool {
  return freezeTool(spec, { kind: 'local', answer: spec.answer });
}

function freezeTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolFacts<Input, Output>,
  route: Route,
): Tool {
  return Object.freeze({
    ...(spec as unknown as ToolFacts<z.ZodObject, z.ZodObject>),
    route,
    argumentSchema: argumentSchema(spec.input),
    outputJsonSchema: spec.output['~standard'].jsonSchema.output({ target: 'draft-2020-12' }),
  });
}
