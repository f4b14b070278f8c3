import type { SamlCode } from './saml.errors.js';

/** A response that is not accepted: the code is public, the reason is for the log of the operator. */
export class SamlRefusal extends Error {
  override readonly name = 'SamlRefusal';

  constructor(
    readonly code: SamlCode,
    readonly reason: string,
  ) {
    super(reason);
  }
}
