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

/** Our code for what node-saml says. */
export function explainRefusal(problem: string): SamlRefusal {
  const [, code] = CODES.find(([pattern]) => pattern.test(problem)) ?? [];
  return new SamlRefusal(code ?? 'saml_response_malformed', problem);
}
