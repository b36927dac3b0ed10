import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalog } from '../../src/tools/catalog/index.js';
import { startGateway, toolCall, type GatewayFixture } from '../gateway-fixture.js';
import { conformanceOffer } from './offer.js';

const root = join(import.meta.dirname, '..', '..', '..', '..');

let product: GatewayFixture;
let fixtures: string[];
beforeAll(async () => {
  product = await startGateway();
  const conformance = await startGateway({}, { offer: conformanceOffer });
  fixtures = await offeredBy(conformance);
  await conformance.close();
});
afterAll(() => product.close());

/** The names of all tools, prompts and resources that a gateway lists. */
async function offeredBy(gateway: GatewayFixture): Promise<string[]> {
  const lists = ['tools', 'prompts', 'resources'].map(async (kind) => {
    const response = await gateway.post({ jsonrpc: '2.0', id: 1, method: `${kind}/list` });
    const { result } = (await response.json()) as { result: Record<string, { name: string }[]> };
    return result[kind]!.map(({ name }) => name);
  });
  return (await Promise.all(lists)).flat();
}

describe('the product', () => {
  it('has no fixture of the conformance suite in what it is built from and ships', () => {
    const patterns = ['{libs,services,apps}/*/dist/**/*.{js,json}', '{libs,services,apps}/*/src/**/*.ts'];
    const files = globSync(patterns, { cwd: root }).map((file) => file.replaceAll('\\', '/'));
    expect(files).toEqual(expect.arrayContaining(['services/mcp-gateway/dist/service.js', 'apps/cli/dist/main.js']));
    expect(fixtures).toEqual(expect.arrayContaining(['test_simple_text', 'test_simple_prompt', 'test://static-text']));
    const holding = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return fixtures.some((name) => text.includes(name));
    });
    expect(holding).toEqual([]);
  });

  it('lists its own catalogue and answers a fixture as an unknown tool', async () => {
    const offered = await offeredBy(product);
    expect(offered).toEqual(expect.arrayContaining(catalog.map(({ name }) => name)));
    expect(offered.filter((name) => fixtures.includes(name))).toEqual([]);
    const called = await product.post(toolCall('test_simple_text'));
    expect(await called.json()).toMatchObject({ error: { code: -32_602, message: 'Tool test_simple_text not found' } });
  });
});
