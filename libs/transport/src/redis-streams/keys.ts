import type { Lane, ServiceName } from '@lectern/contracts';

/** Every key of the transport. */
export const keys = {
  requests: (prefix: string, service: ServiceName, lane: Lane): string => `${prefix}:req:${service}:${lane}`,
  replies: (prefix: string, instance: string): string => `${prefix}:rep:${instance}`,
  /** Broadcast channel on which clients name the requests that they gave up. */
  cancellations: (prefix: string, service: ServiceName): string => `${prefix}:cancel:${service}`,
  /** Marks a request that must not run twice as begun. */
  begun: (prefix: string, requestId: string): string => `${prefix}:begun:${requestId}`,
};

/** The consumer group of every request stream: replicas of a service compete in it. */
export const group = 'replicas';
