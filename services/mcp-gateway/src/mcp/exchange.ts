import type { Caller } from '@lectern/contracts';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Message } from './messages.js';

/** What the endpoint knows of an authenticated request, for the server that is made for it. */
export interface Exchange {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly confirmed: boolean;
  /** Only what these need is registered. */
  readonly messages: readonly Message[];
}

/** Carries an exchange through the SDK. The credential itself goes no further than authentication. */
export function toAuthInfo(exchange: Exchange): AuthInfo {
  const { caller } = exchange;
  return { token: '', clientId: caller.subject, scopes: [...caller.scopes], extra: { exchange } };
}

export function exchangeOf(authInfo: AuthInfo | undefined): Exchange {
  const exchange = authInfo?.extra?.exchange as Exchange | undefined;
  if (!exchange) throw new Error('the request was not authenticated');
  return exchange;
}
