import { defineErrors } from '../../shared/errors/index.js';

export const dropsiteErrors = defineErrors({
  dropsite_expired: { kind: 'gone', meaning: 'The dropsite takes nothing new any more; ask who sent the link for another one.' },
  dropsite_limit_reached: {
    kind: 'rate_limited',
    meaning: 'What the dropsite accepts in a day (in UTC) would be passed; Retry-After leads to the next day.',
  },
  password_required: { kind: 'unauthenticated', meaning: 'The dropsite has a password; send it as `password`.' },
  password_wrong: { kind: 'unauthenticated', meaning: 'It is not the password of the dropsite.' },
  session_required: {
    kind: 'unauthenticated',
    meaning: 'The dropsite accepts no anonymous senders; exchange a code for a session first, and send its token.',
  },
  invalid_code: { kind: 'invalid', meaning: 'The code is wrong, used, expired or of another link; call deliver for a new one.' },
  creator_not_allowed: {
    kind: 'forbidden',
    meaning: 'creatorId and email must both name the sender of the session or, with a token of a user, a user of that customer.',
  },
});
