import { defineErrors } from '../../../shared/errors/index.js';

/** What viewers meet; the codes of 403 carry the member `rule`, the key in securitySettings. */
export const deliveryErrors = defineErrors({
  link_ended: {
    kind: 'gone',
    meaning: 'The link was deleted or has ended, or its media is in the trash, has ended or has no license any more.',
  },
  auth_required: { kind: 'forbidden', meaning: 'The player configuration wants a signed-in user of the customer.' },
  ext_auth_required: {
    kind: 'forbidden',
    meaning: 'The player configuration wants a token that was made for this link by POST /v5/extAuth with one of its access keys.',
  },
  oauth_required: { kind: 'forbidden', meaning: 'The player configuration wants an access token of the client that it names.' },
  ip_not_allowed: { kind: 'forbidden', meaning: 'The address of the viewer is in no range of the player configuration.' },
  referer_not_allowed: {
    kind: 'forbidden',
    meaning: 'The page that the request comes from (Referer or Origin) is unknown or not allowed by the player configuration.',
  },
  wrong_host: { kind: 'forbidden', meaning: 'The player configuration is delivered on another host (url.cname) only.' },
  not_downloadable: { kind: 'forbidden', meaning: 'The format may be played, not downloaded.' },
  format_not_in_configuration: { kind: 'forbidden', meaning: 'The player configuration does not deliver this format.' },
  in_trash: {
    kind: 'invalid',
    meaning: 'A download link may not name media containers that are in the trash; restore them first. `errors` names each of them.',
  },
  media_not_available: {
    kind: 'not_found',
    meaning:
      'The player configuration delivers the format, but there is no file of it: it is being made, has failed, or was never asked for.',
  },
});
