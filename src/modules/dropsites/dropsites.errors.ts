import { defineErrors } from '../../shared/errors.js';

export const dropsiteErrors = defineErrors({
  dropsite_expired: { kind: 'gone', meaning: 'The dropsite accepts no more uploads; ask the person who sent the link for another one.' },
  dropsite_limit_reached: {
    kind: 'rate_limited',
    meaning: 'The upload would exceed the daily limit of the dropsite; Retry-After is the time until the next day (UTC).',
  },
  password_required: { kind: 'unauthenticated', meaning: 'The dropsite has a password; send it as `password`.' },
  password_wrong: { kind: 'unauthenticated', meaning: 'The password of the dropsite is not correct.' },
  session_required: {
    kind: 'unauthenticated',
    meaning: 'The dropsite accepts no anonymous senders; exchange a code for a session first, and send its token.',
  },
  invalid_code: { kind: 'invalid', meaning: 'The code is unknown, used, expired or from another link; call deliver for a new one.' },
  creator_not_allowed: {
    kind: 'forbidden',
    meaning: 'creatorId and email must both name the sender of the session or, with the token of a user, a user of the same customer.',
  },
});
