export { gatewayConfig, gatewaySettings, type GatewaySettings } from './config.js';
export { createService, type GatewayPorts, type GatewayService } from './service.js';
export { createStdioServer, type StdioOptions } from './mcp/stdio.js';
export { catalog } from './tools/catalog/index.js';
export { describeTool } from './mcp/tool-registration.js';
