import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy, Server } from '@nestjs/microservices';
import { ServiceErrorFilter } from './service-error.filter.js';

export interface RunningMicroservice {
  /** Stops taking requests, lets the running ones end, then closes what the module opened. */
  close(): Promise<void>;
}

/** Starts a Nest module that answers operations under a strategy. */
export async function startMicroservice(
  module: Type | DynamicModule,
  strategy: Server & CustomTransportStrategy,
): Promise<RunningMicroservice> {
  // Nest's own logger writes to stdout, which may be a protocol channel.
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false, abortOnError: false });
  app.useGlobalFilters(new ServiceErrorFilter());
  await app.listen();
  return { close: () => app.close() };
}
