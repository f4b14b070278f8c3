import { defineErrors } from '../../shared/errors/index.js';

export const accountsErrors = defineErrors({
  login_failed: { kind: 'unauthenticated', meaning: 'The e-mail address or the password is not correct (which of them is not told).' },
  login_delayed: {
    kind: 'rate_limited',
    meaning: 'Too many wrong passwords for this account, from this address or for this dropsite; wait for the seconds in Retry-After.',
  },
  user_unknown: { kind: 'not_found', meaning: 'There is no user with this e-mail address.' },
  customer_unknown: { kind: 'invalid', meaning: 'There is no customer with this name; declare it under customers first.' },
  customer_name_taken: { kind: 'conflict', meaning: 'Another customer has this name; choose a different one.' },
  not_for_support_staff: {
    kind: 'forbidden',
    meaning: 'Support staff who act for a customer cannot grant themselves access; a user of the customer has to.',
  },
  user_of_other_customer: { kind: 'conflict', meaning: 'The e-mail address belongs to a user of another customer; users do not move.' },
});
