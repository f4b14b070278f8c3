import type { EgressFailure } from './egress-failure.js';

/** Carries a failure through code of others, which knows errors only. */
export class EgressError extends Error {
  constructor(readonly failure: EgressFailure) {
    super(failure.toString());
  }
}
