import type { Operation } from '@lectern/contracts';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { testCaller } from '@lectern/testing';
import type { ServiceClient } from '@lectern/transport';
import { catalog } from '../src/tools/catalog/index.js';
import type { Progress, Tool } from '../src/tools/define-tool.js';
import { ToolRunner } from '../src/tools/run-tool.js';
import type { ToolCall } from '../src/tools/tool-call.js';

export interface Asked {
  readonly operation: string;
  readonly input: unknown;
}

export interface RunOutcome {
  readonly isError: boolean;
  readonly text: string;
  readonly output: Record<string, unknown> | undefined;
  readonly asked: readonly Asked[];
  readonly progress: readonly Progress[];
}

type Answers = Record<string, unknown>;

/** Runs a tool over services that answer by operation name with a value, or with what a function gives. */
export async function runAlone(
  tool: Tool,
  args: unknown,
  answers: Answers = {},
  overrides: Partial<ToolCall> & { readOnly?: boolean } = {},
): Promise<RunOutcome> {
  const asked: Asked[] = [];
  const progress: Progress[] = [];
  const mode = { toolsets: ['all'], readOnly: overrides.readOnly ?? false } as const;
  const logger = createLogger({ service: 'test', level: 'silent' });
  const runner = new ToolRunner({ client: fakeClient(answers, asked), logger, metrics: createMetrics('test'), mode });
  const call: ToolCall = {
    caller: testCaller('0190a1b2-c3d4-7e5f-8a6b-999999999999', { requestId: 'r1' }),
    deadline: Date.now() + 15_000,
    signal: new AbortController().signal,
    confirmed: false,
    reportProgress: (step) => progress.push(step),
    ...overrides,
  };
  const facts = { ...mode, basePath: '/mcp', requestTimeoutSeconds: 15, tools: catalog } as const;
  const result = await runner.run(tool, args, call, facts);
  const [part] = result.content;
  return {
    isError: result.isError ?? false,
    text: part?.type === 'text' ? part.text : '',
    output: result.structuredContent as Record<string, unknown> | undefined,
    asked,
    progress,
  };
}

function fakeClient(answers: Answers, asked: Asked[]): ServiceClient {
  const call = async (operation: Operation, input: unknown): Promise<unknown> => {
    asked.push({ operation: operation.name, input });
    const answer = answers[operation.name];
    return typeof answer === 'function' ? (answer as () => unknown)() : answer;
  };
  return { call } as ServiceClient;
}
