import { randomUUID } from 'node:crypto';

export interface CallOptions {
  url: string;
  token: string;
  tool: string;
  /** JSON object. */
  arguments: string;
  /** Confirms a call that deletes data. */
  confirm: boolean;
}

/** Calls one tool of a running server and prints what it answers. Resolves to the exit code. */
export async function callCommand(options: CallOptions): Promise<number> {
  const body = {
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'tools/call',
    params: { name: options.tool, arguments: JSON.parse(options.arguments) as unknown },
  };
  const response = await fetch(options.url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${options.token}`,
      ...(options.confirm ? { 'x-mcp-confirm': options.token } : {}),
    },
  });
  const answer = (await response.json()) as {
    result?: { isError?: boolean; content?: { text?: string }[] };
    error?: { message: string } | string;
    error_description?: string;
  };
  const text = answer.result?.content?.map((block) => block.text ?? '').join('\n');
  if (text !== undefined) console.log(text);
  else
    console.error(answer.error_description ?? (typeof answer.error === 'object' ? answer.error.message : answer.error));
  return response.ok && answer.result && !answer.result.isError ? 0 : 1;
}
