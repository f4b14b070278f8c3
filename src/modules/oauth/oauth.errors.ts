import { defineErrors } from '../../shared/errors.js';

export const oauthErrors = defineErrors({
  session_not_found: {
    kind: 'invalid',
    meaning: 'No sign-in is in progress in this browser: the sign-in has expired or was completed elsewhere.',
  },
  client_id_mismatch: { kind: 'invalid', meaning: 'client_id and its legacy spelling clientId name different applications.' },
  unauthorized_client: { kind: 'invalid', meaning: 'The client is not registered for the authorization code grant.' },
  consent_required: { kind: 'forbidden', meaning: 'The user has not authorized this application yet; send the browser to authorizeUrl.' },
  support_access_not_passed_on: { kind: 'forbidden', meaning: 'A token of support access cannot request codes for the user.' },
  page_not_of_client: {
    kind: 'forbidden',
    meaning: 'With a session cookie a page may request codes only for its own client.',
  },
  consent_needs_window: {
    kind: 'forbidden',
    meaning: 'Consent requires a top-level window; a frame is permitted only if the operator declares framedConsent for the client.',
  },
  not_signed_in: { kind: 'unauthenticated', meaning: 'The login session ended before the consent was given; start again.' },
  csrf_mismatch: {
    kind: 'forbidden',
    meaning: 'The form does not belong to this login or session; open the page again and repeat the action.',
  },
  redirect_uri_not_registered: {
    kind: 'invalid',
    meaning: 'redirect_uri does not equal any registered redirect URI of the client, character by character.',
  },
  invalid_scope: { kind: 'invalid', meaning: 'The requested scopes do not exist, or the requesting token does not have them.' },
  invalid_target: { kind: 'invalid', meaning: 'The resource is not an audience of this service (see RESOURCES).' },
});

export const clientsErrors = defineErrors({
  unknown_client: { kind: 'invalid', meaning: 'There is no client application with this client_id.' },
  client_id_reserved: { kind: 'conflict', meaning: 'The client_id belongs to the service itself, in any case; choose another.' },
  client_id_malformed: {
    kind: 'invalid',
    meaning: 'A client_id consists of ASCII letters, digits and ._~- and begins with a letter or digit.',
  },
  client_id_taken: { kind: 'conflict', meaning: 'Another client application has this client_id. Choose a different one.' },
  too_many_clients: {
    kind: 'conflict',
    meaning: 'The customer has as many client applications as it may have. Remove one that is not used.',
  },
  client_is_public: { kind: 'invalid', meaning: 'A public client has no secret that could be rotated.' },
  service_user_unknown: { kind: 'invalid', meaning: 'serviceUser must name a user that exists.' },
});
