export { AddressResolver } from './address-resolver.js';
export { EgressModule } from './egress.module.js';
export { EgressAllowlist } from './egress-allowlist.js';
export { EgressClient, type EgressOptions, type EgressRequest } from './egress-client.js';
export type { EgressResult } from './egress-exchange.js';
export { EgressFailure, type EgressFailureCode } from './egress-failure.js';
export { type EgressTarget, egressTarget } from './egress-target.js';
export { whyHeaderRefused } from './why-header-refused.js';
