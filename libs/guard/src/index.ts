export { securityNotice, toModelText, wrapUntrusted, type EnvelopeOptions, type UntrustedBlock } from './envelope.js';
