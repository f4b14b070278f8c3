export { AddressResolver } from './address-resolver.port.js';
export { EgressModule } from './egress.module.js';
export { type EgressOptions, type EgressRequest, type EgressResult, EgressService, findHeaderProblem } from './egress.service.js';
export { EgressFailure, type EgressFailureCode } from './egress-failure.js';
export { EgressAllowlist, type EgressTarget, egressTarget } from './egress-target.js';
