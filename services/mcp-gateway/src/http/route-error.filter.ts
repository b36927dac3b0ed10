import type { ServerResponse } from 'node:http';
import type { Logger } from '@lectern/telemetry';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpError, internalError, sendHttpError } from './http-error.js';

/** Gives what the routes of Nest refuse or fail at the shape of every other refusal. */
@Catch()
export class RouteErrorFilter implements ExceptionFilter {
  constructor(
    private readonly endpointPath: string,
    private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const requestId = String(response.getHeader('x-request-id'));
    // No route takes anything that could be wrong, so what Nest refuses is a path that it does not know or can't read.
    const isUnknown = error instanceof HttpException && error.getStatus() < 500;
    if (!isUnknown) this.logger.error({ err: error, requestId }, 'request failed');
    if (response.headersSent) response.end();
    else sendHttpError(response, isUnknown ? this.notFound() : internalError(), requestId);
  }

  private notFound(): HttpError {
    return new HttpError(404, 'not_found', `Nothing is served here. The MCP endpoint is ${this.endpointPath}.`);
  }
}
