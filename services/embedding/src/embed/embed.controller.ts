import { describeModel, embedPassages, embedQuery, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller } from '@nestjs/common';
import { EmbedService } from './embed.service.js';

@Controller()
export class EmbedController {
  constructor(private readonly embed: EmbedService) {}

  @Handles(describeModel)
  async describe() {
    return { model: this.embed.model };
  }

  @Handles(embedQuery)
  async query({ model, text }: RequestOf<typeof embedQuery>, call: CallContext) {
    return this.embed.embedQuery(model, text, call);
  }

  @Handles(embedPassages)
  async passages({ model, texts }: RequestOf<typeof embedPassages>, call: CallContext) {
    return { results: await this.embed.embedPassages(model, texts, call) };
  }
}
