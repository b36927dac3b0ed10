export { ConfigError, loadConfig, loadConfigOrExit } from './load-config.js';
export { decimal, flag, list, secret, wholeNumber, type NumberBounds } from './field.js';
export {
  frontSettings,
  postgresSettings,
  processSettings,
  redisSettings,
  telemetrySettings,
  transportSettings,
} from './fragments.js';
