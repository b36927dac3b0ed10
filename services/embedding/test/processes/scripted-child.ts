// Stands in for the child that runs a model: texts say what it does. Run by Node as it is, so it imports only types.
import type { EmbedReply, FromChild, ModelSpec, ToChild } from '../../src/providers/local/messages.js';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

process.on('message', (message: ToChild) => {
  void answer(message).then((reply) => process.send?.(reply, () => undefined));
});
process.on('disconnect', () => process.exit());

async function answer(message: ToChild): Promise<FromChild> {
  if (message.kind === 'load') return load(message.spec);
  const { text } = message.request;
  if (text.startsWith('die')) process.kill(process.pid, 'SIGKILL');
  if (text.startsWith('slow')) await pause(200);
  const reply: EmbedReply = {
    outcome: 'embedded',
    vector: new Float32Array([text.length, process.pid]),
    truncated: false,
  };
  return { kind: 'reply', reply };
}

/** The folder's name says how loading goes. */
function load(spec: ModelSpec): FromChild {
  if (spec.folder === 'dies') process.kill(process.pid, 'SIGKILL');
  if (spec.folder === 'broken') return { kind: 'unloadable', reason: 'the weights are broken' };
  return {
    kind: 'loaded',
    model: { revision: spec.folder === 'changing' ? String(process.pid) : 'one', dimension: 2 },
  };
}
