import { ServiceError, type RequestOf } from '@lectern/contracts';
import { Controller, Module, type DynamicModule } from '@nestjs/common';
import { Handles, type CallContext } from '@lectern/transport';
import { echo, echoInBulk, echoOnce, vectors } from './operations.js';

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
