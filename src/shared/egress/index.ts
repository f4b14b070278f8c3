export { AddressResolver } from './address-resolver.port.js';
export { EgressModule } from './egress.module.js';
export { EgressClient, type EgressOptions, type EgressRequest, type EgressResult, findHeaderProblem } from './egress-client.js';
export { EgressFailure, type EgressFailureCode } from './egress-failure.js';
export { EgressAllowlist, type EgressTarget, egressTarget } from './egress-target.js';
