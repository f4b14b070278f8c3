import { type DomainError, defineErrors, errorCatalogue } from '../../shared/errors.js';

const factories = defineErrors({
  saml_provider_unknown: { kind: 'not_found', meaning: 'No identity provider has this ssoIdentifier.' },
  saml_response_missing: { kind: 'invalid', meaning: 'The identity provider sent no SAMLResponse; it must use the HTTP-POST binding.' },
  saml_response_too_large: {
    kind: 'too_large',
    meaning:
      'The response of the identity provider has more than 256 KiB, 2,000 elements, 5,000 attributes or 20 levels, or takes longer than 5 seconds to verify; it should send fewer attributes.',
  },
  saml_response_malformed: {
    kind: 'invalid',
    meaning: 'The response of the identity provider is not a readable SAML 2.0 response.',
  },
  saml_doctype_refused: {
    kind: 'invalid',
    meaning: 'The response of the identity provider carries a document type declaration, which SAML forbids.',
  },
  saml_comment_refused: {
    kind: 'invalid',
    meaning: 'The response of the identity provider carries a comment or processing instruction, which could hide a part of a name.',
  },
  saml_assertion_encrypted: {
    kind: 'invalid',
    meaning: 'The identity provider encrypts its assertions; switch that off for this service.',
  },
  saml_assertion_count: { kind: 'invalid', meaning: 'The response of the identity provider must contain exactly one assertion.' },
  saml_structure_refused: {
    kind: 'invalid',
    meaning: 'The structure of the response would permit content that its signature does not cover.',
  },
  saml_sign_in_refused: { kind: 'forbidden', meaning: 'The identity provider did not sign the person in; the reason is in its log.' },
  saml_destination_mismatch: {
    kind: 'invalid',
    meaning:
      'The response is addressed to another service; set the assertion consumer service URL at the identity provider to the one of our metadata.',
  },
  saml_recipient_mismatch: {
    kind: 'invalid',
    meaning:
      'The assertion is addressed to another service; set the recipient at the identity provider to the assertion consumer service URL of our metadata.',
  },
  saml_issuer_mismatch: {
    kind: 'invalid',
    meaning:
      'The response names a different issuer from the one configured here; compare issuer with the entity id of the identity provider.',
  },
  saml_audience_mismatch: {
    kind: 'invalid',
    meaning: 'The assertion is intended for another service; set the audience at the identity provider to the entity id of our metadata.',
  },
  saml_unsolicited: { kind: 'invalid', meaning: 'The sign-in must start at the application, not at the identity provider.' },
  saml_request_unknown: {
    kind: 'invalid',
    meaning: 'The request that this response answers is unknown or has expired; start again at the application.',
  },
  saml_request_mismatch: {
    kind: 'invalid',
    meaning: 'The assertion and the response answer different requests; start again at the application.',
  },
  saml_response_replayed: { kind: 'invalid', meaning: 'This sign-in has already been completed; start again at the application.' },
  saml_assertion_replayed: { kind: 'invalid', meaning: 'This assertion has already been used; start again at the application.' },
  saml_signature_missing: {
    kind: 'invalid',
    meaning: 'The identity provider must sign the assertion, and the response too unless signedResponse is false here.',
  },
  saml_signature_invalid: {
    kind: 'invalid',
    meaning:
      'The signature does not match this response or any of the configured certificates; compare them with those of the identity provider.',
  },
  saml_signature_weak: {
    kind: 'invalid',
    meaning: 'The identity provider signs with an outdated algorithm; set it to RSA with SHA-256 or better.',
  },
  saml_assertion_expired: {
    kind: 'invalid',
    meaning: 'The assertion is not valid at this time; check the clock of the identity provider, or start again at the application.',
  },
  saml_name_id_unusable: {
    kind: 'invalid',
    meaning:
      'The identity provider must send a NameID that stays the same for a person (persistent or emailAddress, not transient), of at most 512 characters.',
  },
  saml_email_missing: {
    kind: 'forbidden',
    meaning: 'The identity provider sent no e-mail address; name its attribute in attributeMapping.email.',
  },
  saml_user_unknown: {
    kind: 'forbidden',
    meaning:
      'This person has no account in the service; create it with the same e-mail address, or set createUsers for the identity provider.',
  },
  saml_user_not_created: {
    kind: 'forbidden',
    meaning:
      'No account could be created for this person, because the e-mail address is in use; an administrator has to link or change it.',
  },
  saml_level_exceeded: {
    kind: 'forbidden',
    meaning:
      'This person has more rights than the administrator who configured the identity provider; an administrator with at least the same adminLevel has to give its metadata again.',
  },
  saml_user_disabled: { kind: 'forbidden', meaning: 'The account of this person is disabled.' },
  saml_key_unreadable: {
    kind: 'unavailable',
    meaning:
      'The key that signs SAML requests cannot be read, because the service runs with another APP_SECRET; its operator has to add the old one to APP_SECRET_PREVIOUS.',
  },
  saml_handle_expired: {
    kind: 'invalid',
    meaning: 'This sign-in took too long or has already been completed; start again at the application.',
  },
  saml_other_browser: { kind: 'forbidden', meaning: 'This sign-in was started in another browser; start again at the application.' },
});

export type SamlCode = keyof typeof factories;

/** Creates the error of a code. The person sees its catalogued meaning, which says what an administrator must change and contains no data. */
export const samlError = (code: SamlCode): DomainError => factories[code](errorCatalogue.get(code)?.meaning ?? code);

/** A response that is not accepted: the code is public, the reason is for the operator's log. */
export class SamlRefusal extends Error {
  override readonly name = 'SamlRefusal';

  constructor(
    readonly code: SamlCode,
    readonly reason: string,
  ) {
    super(reason);
  }
}
