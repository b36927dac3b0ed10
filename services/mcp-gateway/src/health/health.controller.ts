import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { isReadyNow, type Metrics } from '@lectern/telemetry';
import { product } from '../product.js';

export const healthParts = Symbol('health parts');

export interface HealthParts {
  readonly metrics: Metrics;
  readonly isReady: () => Promise<boolean>;
}

/** Anonymous, and starts no work. */
@Controller()
export class HealthController {
  constructor(@Inject(healthParts) private readonly parts: HealthParts) {}

  @Get('livez')
  live(): string {
    return 'ok';
  }

  @Get('readyz')
  async ready(@Res() response: ServerResponse): Promise<void> {
    const ready = await isReadyNow(this.parts.isReady);
    response.statusCode = ready ? 200 : 503;
    response.end(ready ? 'ok' : 'not ready');
  }

  @Get('healthz')
  health(): Record<string, unknown> {
    return { status: 'ok', version: product.version, uptime_seconds: Math.floor(process.uptime()) };
  }

  @Get('metrics')
  async metrics(@Res() response: ServerResponse): Promise<void> {
    const { registry } = this.parts.metrics;
    response.setHeader('content-type', registry.contentType);
    response.end(await registry.metrics());
  }
}
