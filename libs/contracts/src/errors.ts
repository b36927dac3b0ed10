import { z } from 'zod';

/** The closed list of what can go wrong. `docs/errors.md` says what each means and who may repeat the call. */
export const errorCodes = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'timeout',
  'unavailable',
  'outcome_unknown',
  'internal',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** What of an error crosses a process boundary. */
export const wireErrorSchema = z.object({
  code: z.enum(errorCodes),
  safeMessage: z.string(),
  /** Milliseconds after which the same call may be tried again. */
  retryAfterMs: z.number().int().nonnegative().optional(),
  /** Facts for the caller, such as the field that is wrong; never text of a document, provider or database. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type WireError = z.output<typeof wireErrorSchema>;

type ServiceErrorOptions = Omit<WireError, 'code' | 'safeMessage'> & { cause?: unknown };

/** The only error that a caller gets to see. Anything else that is thrown is a defect and becomes `internal`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly retryAfterMs: number | undefined;
  readonly details: WireError['details'];

  /** @param safeMessage says what to do next, and may be shown to anyone. */
  constructor(
    readonly code: ErrorCode,
    readonly safeMessage: string,
    options: ServiceErrorOptions = {},
  ) {
    super(safeMessage, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.details = options.details;
  }

  toWire(): WireError {
    return {
      code: this.code,
      safeMessage: this.safeMessage,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }

  static fromWire(wire: WireError): ServiceError {
    return new ServiceError(wire.code, wire.safeMessage, wire);
  }
}

/** Of a disk, or of what one may use of it, that has no room left: nothing was saved. */
export function storageFull(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The storage is full. Ask the operator to make room, then try again.', {
    retryAfterMs: 60_000,
    cause,
  });
}

/** Structural, since an error may come from another copy of this module. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError' && 'safeMessage' in error;
}

/** Every failure as a ServiceError: its own, or `internal` with an id under which the real one is logged. */
export function toServiceError(error: unknown, errorId: string): ServiceError {
  if (isServiceError(error)) return error;
  return new ServiceError('internal', `Lectern failed to answer. Report the error id ${errorId} to its operator.`, {
    cause: error,
    details: { errorId },
  });
}
