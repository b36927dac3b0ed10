import { Module, type DynamicModule } from '@nestjs/common';
import { EmbedController } from './embed/embed.controller.js';
import { EmbedService } from './embed/embed.service.js';

@Module({})
export class AppModule {
  static with(service: EmbedService): DynamicModule {
    return {
      module: AppModule,
      controllers: [EmbedController],
      providers: [{ provide: EmbedService, useValue: service }],
    };
  }
}
