import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { getMcpCapabilitiesTool } from './get-mcp-capabilities.tool.js';
import { catalog } from './index.js';

describe('get_mcp_capabilities', () => {
  it('counts what is listed and asks no service', async () => {
    const { output, asked, text } = await runAlone(getMcpCapabilitiesTool, {});
    expect(asked).toEqual([]);
    expect(output).toMatchObject({
      toolCount: catalog.length,
      dangerousToolGate: 'X-MCP-Confirm',
      auth: { type: 'bearer' },
    });
    const { permissionCounts } = output as { permissionCounts: Record<string, number> };
    expect(Object.values(permissionCounts).reduce((sum, count) => sum + count)).toBe(catalog.length);
    for (const tool of catalog) expect(text).toContain(tool.name);
  });
});
