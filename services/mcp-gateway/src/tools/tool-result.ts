import type { ServiceError } from '@lectern/contracts';
import { toModelText, wrapUntrusted } from '@lectern/guard';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from './define-tool.js';

/** Where an error's code and request id stand for programs; people read the text. */
export const errorMetaKey = 'lectern/error';

/** A complete answer in both forms, since some clients show a model only one of them. */
export function successResult(output: Record<string, unknown>, answer: Answer): CallToolResult {
  return wellFormed({ content: [{ type: 'text', text: toText(answer) }], structuredContent: output });
}

/** A failure in words, with the request id under which it can be found in the logs. */
export function failureResult(error: ServiceError, requestId: string): CallToolResult {
  const retry = error.retryAfterMs === undefined ? '' : ` Wait ${Math.ceil(error.retryAfterMs / 1000)} s before that.`;
  return wellFormed({
    content: [{ type: 'text', text: `${error.safeMessage}${retry} (request ${requestId})` }],
    isError: true,
    _meta: { [errorMetaKey]: { code: error.code, requestId } },
  });
}

/** The text of an answer: our sentence, then what documents say inside the envelope. */
export function toText({ sentence, untrusted }: Answer): string {
  return untrusted?.length ? `${sentence}\n\n${wrapUntrusted(untrusted)}` : sentence;
}

/** Every string of an answer as the interfaces of models accept it. */
function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return toModelText(value) as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wellFormed(item)])) as T;
}
