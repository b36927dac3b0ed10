/** As much of a JSON-RPC message as the endpoint looks at before the SDK validates it. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The messages of a body: a legacy batch has several, and what is no object is left to the SDK to refuse. */
export function messagesIn(body: unknown): readonly Message[] {
  return (Array.isArray(body) ? body : [body]).filter(
    (item): item is Message => typeof item === 'object' && item !== null && !Array.isArray(item),
  );
}

/** The tool that a message calls. */
export function calledTool({ method, params }: Message): string | undefined {
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined;
}

/** The ids under which answers are due. */
export function requestIdsOf(messages: readonly Message[]): (string | number)[] {
  return messages.flatMap(({ id, method }) => (method !== undefined && id !== undefined && id !== null ? [id] : []));
}
