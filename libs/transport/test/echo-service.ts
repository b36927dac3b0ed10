import { defineOperation, ServiceError, type RequestOf } from '@lectern/contracts';
import { Controller, Module, type DynamicModule } from '@nestjs/common';
import { z } from 'zod';
import { Handles, type CallContext } from '@lectern/transport';

const spec = {
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 5000,
  request: z.object({ text: z.string().max(900_000).default('default'), delayMs: z.number().default(0) }),
  response: z.object({ text: z.string(), tenantId: z.string(), replica: z.string() }),
} as const;

export const echo = defineOperation({ ...spec, name: 'retrieval.echo' });
export const echoInBulk = defineOperation({ ...spec, name: 'retrieval.echo_in_bulk', lane: 'bulk' });
export const echoOnce = defineOperation({ ...spec, name: 'retrieval.echo_once', retry: 'never' });
export const unanswered = defineOperation({ ...spec, name: 'retrieval.unanswered', timeoutMs: 300 });
export const vectors = defineOperation({
  ...spec,
  name: 'retrieval.vectors',
  request: z.object({ list: z.array(z.instanceof(Float32Array)), note: z.string() }),
  response: z.object({ list: z.array(z.instanceof(Float32Array)), note: z.string() }),
});

/** What the handlers of one replica have seen. */
export class Journal {
  readonly started: string[] = [];
  readonly aborted: string[] = [];
}

/** A service that answers the operations above and keeps a journal. */
export function echoService(journal: Journal, replica = 'one'): DynamicModule {
  @Controller()
  class EchoController {
    @Handles(echo)
    async echo(request: RequestOf<typeof echo>, call: CallContext) {
      return answer(request, call);
    }

    @Handles(echoInBulk)
    async echoInBulk(request: RequestOf<typeof echo>, call: CallContext) {
      return answer(request, call);
    }

    @Handles(echoOnce)
    async echoOnce(request: RequestOf<typeof echo>, call: CallContext) {
      return answer(request, call);
    }

    @Handles(vectors)
    async vectors(request: RequestOf<typeof vectors>) {
      return request;
    }
  }

  @Module({})
  class EchoModule {}

  async function answer(request: RequestOf<typeof echo>, call: CallContext) {
    journal.started.push(request.text);
    if (request.text === 'refuse')
      throw new ServiceError('conflict', 'It is there already.', { details: { field: 'x' } });
    if (request.text === 'break') throw new Error('secret of the database');
    if (request.delayMs > 0)
      await pause(request.delayMs, call.signal).catch((error: unknown) => {
        journal.aborted.push(request.text);
        throw error;
      });
    return { text: request.text, tenantId: call.caller.tenantId, replica };
  }

  return { module: EchoModule, controllers: [EchoController] };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
