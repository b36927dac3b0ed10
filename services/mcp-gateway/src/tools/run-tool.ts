import { isServiceError, ServiceError, toServiceError, type Operation, type ResponseOf } from '@lectern/contracts';
import { attributes, withSpan, type Logger, type Metrics } from '@lectern/telemetry';
import type { ServiceClient } from '@lectern/transport';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { accessTo, type AccessMode } from './access.js';
import type { ArgumentIssue } from './argument-schema.js';
import type { OperationRoute, Tool } from './define-tool.js';
import { followUp } from './follow-up.js';
import type { ServerFacts } from './server-facts.js';
import type { ToolCall } from './tool-call.js';
import { failureResult, successResult } from './tool-result.js';

export interface ToolRunnerParts {
  readonly client: ServiceClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly mode: AccessMode;
}

/** The only path of a call: span, access, arguments, confirmation, operation, output, result; then metric and log line. */
export class ToolRunner {
  constructor(private readonly parts: ToolRunnerParts) {}

  /** Never rejects: a failure is a result that says what to do next. */
  async run(tool: Tool, args: unknown, call: ToolCall, facts: ServerFacts): Promise<CallToolResult> {
    const started = performance.now();
    const { requestId, tenantId } = call.caller;
    const span = {
      attributes: {
        [attributes.tool]: tool.name,
        [attributes.tenant]: tenantId,
        [attributes.requestId]: requestId,
      },
    };
    try {
      const result = await withSpan(`tool ${tool.name}`, span, () => this.answer(tool, args, call, facts));
      this.record(tool, call, 'ok', started);
      return result;
    } catch (error) {
      const failure = toServiceError(error, requestId);
      if (!isServiceError(error)) this.parts.logger.error({ err: error, tool: tool.name, requestId }, 'tool failed');
      this.record(tool, call, call.signal.aborted ? 'cancelled' : failure.code, started);
      return failureResult(failure, requestId);
    }
  }

  private async answer(tool: Tool, args: unknown, call: ToolCall, facts: ServerFacts): Promise<CallToolResult> {
    refuseWithoutAccess(tool, call, this.parts.mode);
    const input = parseArguments(tool, args);
    refuseUnconfirmed(tool, call);
    const { route } = tool;
    const answer = route.kind === 'local' ? route.answer(facts) : await this.ask(route, input, call);
    const output = tool.output.parse(answer);
    return successResult(output, tool.toAnswer(output));
  }

  private async ask(route: OperationRoute, input: Record<string, unknown>, call: ToolCall): Promise<unknown> {
    const { client } = this.parts;
    const response: ResponseOf<Operation> = await client.call(route.operation, route.toRequest(input), call);
    const followed = route.follow && (await followUp(client, route.follow, response, call));
    return route.toOutput(response, input, followed);
  }

  private record(tool: Tool, call: ToolCall, outcome: string, started: number): void {
    const seconds = (performance.now() - started) / 1000;
    const labels = { tool: tool.name, permission: tool.permission, outcome };
    this.parts.metrics.toolDuration.observe(labels, seconds);
    const { requestId, tenantId, subject } = call.caller;
    const durationMs = Math.round(seconds * 1000);
    this.parts.logger.info({ ...labels, requestId, tenant: tenantId, subject, durationMs }, 'tool call');
  }
}

function refuseWithoutAccess(tool: Tool, { caller }: ToolCall, mode: AccessMode): void {
  const access = accessTo(tool, caller, mode);
  if (access === 'hidden') throw new ServiceError('not_found', `Tool ${tool.name} not found.`);
  if (access === 'insufficient_scope') {
    throw new ServiceError('forbidden', `${tool.name} needs the scope ${tool.scope}, which this credential lacks.`);
  }
}

function parseArguments(tool: Tool, args: unknown): Record<string, unknown> {
  const parsed = tool.argumentSchema['~standard'].validate(args ?? {});
  if (!parsed.issues) return parsed.value;
  throw new ServiceError('invalid_request', `${tool.name} was not called: ${parsed.issues.map(describe).join('; ')}.`);
}

function describe({ path, message }: ArgumentIssue): string {
  return path?.length ? `${path.map(String).join('.')}: ${message}` : message;
}

function refuseUnconfirmed({ confirm }: Tool, { confirmed }: ToolCall): void {
  if (confirm === undefined || confirmed) return;
  throw new ServiceError('forbidden', `${confirm} Nothing was done: a person has to confirm it first.`);
}
