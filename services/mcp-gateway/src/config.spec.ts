import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@lectern/config';
import { gatewaySettings } from './config.js';

describe('the settings', () => {
  it('are safe by default', () => {
    expect(loadConfig(gatewaySettings, {})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8080,
      MCP_BASE_PATH: '/mcp',
      MCP_READ_ONLY: false,
      MCP_TOOLSETS: ['all'],
      MCP_REQUEST_TIMEOUT_SECONDS: 15,
    });
  });

  it('refuse what would not work', () => {
    const faulty = { MCP_TOOLSETS: 'kb,everything', MCP_TOKEN: 'short', MCP_BASE_PATH: 'mcp/', PUBLIC_URL: 'ftp://x' };
    expect(() => loadConfig(gatewaySettings, faulty)).toThrow(
      /4 fault[\s\S]*PUBLIC_URL[\s\S]*MCP_BASE_PATH[\s\S]*MCP_TOKEN[\s\S]*MCP_TOOLSETS/,
    );
  });

  it('all have a description', () => {
    for (const [name, schema] of Object.entries(gatewaySettings.shape)) {
      expect([name, schema.description]).toEqual([name, expect.any(String)]);
    }
  });
});
