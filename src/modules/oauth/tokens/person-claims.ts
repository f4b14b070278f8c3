import type { Principal } from '../../accounts/index.js';

/** The claims of each scope about the signed-in person (OpenID Connect Core 1.0 section 5.4). */
export const CLAIMS_OF_SCOPES = { openid: ['sub'], profile: ['name', 'given_name', 'family_name'], email: ['email'] } as const;

/** A claim about the signed-in person. */
export type PersonClaim = (typeof CLAIMS_OF_SCOPES)[keyof typeof CLAIMS_OF_SCOPES][number];

/** All claims about a person (OpenID Connect Core 1.0 section 5.1); what is not known is an empty text. */
export function claimsOf({ id, firstname, lastname, email }: Principal): Record<PersonClaim, string> {
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return { sub: String(id), name, given_name: firstname, family_name: lastname, email };
}
