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

interface Answer {
  result?: { isError?: boolean; content?: { text?: string }[] };
  error?: { message: string } | string;
  error_description?: string;
}

/** Calls one tool of a running server and prints what it answers. Resolves to the exit code. */
export async function callCommand(options: CallOptions): Promise<number> {
  const body = {
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'tools/call',
    params: { name: options.tool, arguments: parseArguments(options.arguments) },
  };
  const response = await post(options, JSON.stringify(body));
  const answer = (await response.json().catch(() => undefined)) as Answer | undefined;
  if (!answer) throw new Error(`${options.url} is no MCP endpoint: it answers HTTP ${response.status}`);
  const text = answer.result?.content?.map((block) => block.text ?? '').join('\n');
  if (text === undefined) console.error(failure(answer));
  else console.log(text);
  return response.ok && answer.result && !answer.result.isError ? 0 : 1;
}

function parseArguments(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The sentence below says it too.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error(`the arguments are no JSON object, such as '{"query":"backup"}': ${text}`);
}

async function post({ url, token, confirm }: CallOptions, body: string): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(confirm ? { 'x-mcp-confirm': token } : {}),
      },
    });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(`no server answers at ${url} (${code ?? message})`, { cause: error });
  }
}

function failure({ error, error_description: description }: Answer): string {
  if (error === 'danger_confirmation_required')
    return 'This call deletes data. To confirm it, run it again with --confirm.';
  return description ?? (typeof error === 'object' ? error.message : (error ?? 'the server gave no answer'));
}
