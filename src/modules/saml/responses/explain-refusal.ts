import type { SamlCode } from '../saml.errors.js';
import { SamlRefusal } from '../saml-refusal.js';

/** node-saml 5 tells its refusals apart by their texts only. */
const CODES: readonly (readonly [RegExp, SamlCode])[] = [
  [/audience/i, 'saml_audience_mismatch'],
  [/expired|not yet valid|subject confirmation/i, 'saml_assertion_expired'],
  [/does not match subjectInResponseTo/, 'saml_request_mismatch'],
  [/InResponseTo/i, 'saml_request_unknown'],
  [/signature|signed|ID cannot refer/i, 'saml_signature_invalid'],
];

/** Our code for what node-saml says; errors that are not about the response (a database that is down) stay as they are. */
export function explainRefusal(error: Error): Error {
  const [, code] = CODES.find(([pattern]) => pattern.test(error.message)) ?? [];
  if (code) return new SamlRefusal(code, error.message);
  return isAboutResponse(error) ? new SamlRefusal('saml_response_malformed', error.message) : error;
}

/** Errors of PostgreSQL and of the network carry a code; those of node-saml and its parsers do not. */
const isAboutResponse = (error: Error): boolean => !('code' in error);
