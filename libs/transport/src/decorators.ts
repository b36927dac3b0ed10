import type { Operation, RequestOf } from '@lectern/contracts';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { z } from 'zod';
import type { CallContext } from './call.js';

type Handler<O extends Operation> = (request: RequestOf<O>, call: CallContext) => Promise<z.input<O['response']>>;

/** Makes a controller's method answer an operation. A method of another shape does not compile. */
export function Handles<O extends Operation>(operation: O) {
  const pattern = MessagePattern(operation.name, { operation });
  return <Method extends Handler<O>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    pattern(target, key, descriptor as PropertyDescriptor);
  };
}
