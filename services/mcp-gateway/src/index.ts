export { gatewayConfig, gatewaySettings, type GatewaySettings } from './config.js';
export { createService, type GatewayPorts, type GatewayService } from './service.js';
export { catalog } from './tools/catalog/index.js';
