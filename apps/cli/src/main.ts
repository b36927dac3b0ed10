#!/usr/bin/env node
// The rest is loaded only on a Node that can run it: on an older one it fails with reasons that mislead.
import { runOnNode24 } from './node-24.js';

try {
  const code = await runOnNode24();
  if (code === undefined) await import('./program.js');
  else process.exitCode = code;
} catch (error) {
  process.stderr.write(`lectern: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
