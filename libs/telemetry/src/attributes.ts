/** Names of span attributes and log fields; there are no others. */
export const attributes = {
  tenant: 'lectern.tenant',
  tool: 'lectern.tool',
  operation: 'lectern.operation',
  outcome: 'lectern.outcome',
  requestId: 'lectern.request_id',
  document: 'lectern.document',
  stage: 'lectern.stage',
} as const;
