import type { Offer } from '../../src/mcp/offer.js';
import { registerContentTools } from './content-tools.js';
import { registerInputTools, stateCodec } from './input-tools.js';
import { registerConformancePrompts, registerConformanceResources } from './prompts-and-resources.js';
import { runTools } from './run-tools.js';

/** What the protocol's conformance suite wants to find, under the names that its scenarios fix. */
export const conformanceOffer: Offer = {
  tools: runTools,
  options: {
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false, subscribe: true },
      prompts: { listChanged: false },
      completions: {},
      logging: {},
    },
    requestState: { verify: stateCodec.verify },
  },
  register(server) {
    registerContentTools(server);
    registerInputTools(server);
    registerConformancePrompts(server);
    registerConformanceResources(server);
  },
};
