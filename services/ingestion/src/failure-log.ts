import { isServiceError } from '@lectern/contracts';
import type { Logger } from '@lectern/telemetry';
import type { CallContext } from '@lectern/transport';
import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { catchError, throwError, type Observable } from 'rxjs';

export const failureLogger = Symbol('failure logger');

/**
 * Logs what a database or a store did to a call, once and where it arose, under the id that the caller is told: the
 * caller's sentence leaves out what the operator has to know.
 */
@Injectable()
export class FailureLog implements NestInterceptor {
  constructor(@Inject(failureLogger) private readonly logger: Logger) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        // A failure without a cause was logged by the service that had it.
        if (isServiceError(error) && error.cause !== undefined) {
          const { requestId, tenantId } = context.switchToRpc().getContext<CallContext>().caller;
          this.logger.warn({ err: error, code: error.code, requestId, tenant: tenantId }, error.safeMessage);
        }
        return throwError(() => error);
      }),
    );
  }
}
