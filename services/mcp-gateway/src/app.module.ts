import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController, healthParts, type HealthParts } from './health/health.controller.js';

/** The routes beside the MCP endpoint. */
@Module({})
export class AppModule {
  static register(health: HealthParts): DynamicModule {
    return {
      module: AppModule,
      controllers: [HealthController],
      providers: [{ provide: healthParts, useValue: health }],
    };
  }
}
