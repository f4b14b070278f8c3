import { defineErrors } from '../../shared/errors.js';

export const accountsErrors = defineErrors({
  denial_needs_password: {
    kind: 'unauthenticated',
    meaning: 'The last second factor of a person is removed by a mailed link only together with the password.',
  },
  denial_unproven: {
    kind: 'forbidden',
    meaning:
      'The password was chosen with a mailed link after the second factor was added, so that both prove the same; an administrator has to help.',
  },
  login_failed: {
    kind: 'unauthenticated',
    meaning: 'The e-mail address or the password is not correct. The response does not reveal which.',
  },
  login_delayed: {
    kind: 'rate_limited',
    meaning: 'Too many wrong passwords for this account, from this address or for this dropsite. Wait for the seconds in Retry-After.',
  },
  account_link_expired: {
    kind: 'gone',
    meaning: 'The link of a mail was used already, or it has expired. Each link is good once. Ask for a new one.',
  },
  password_refused: {
    kind: 'invalid',
    meaning:
      'The new password is too short or too long, on the block list of the operator, or too easy to guess. The sentence says what to do better.',
  },
  second_factor_failed: {
    kind: 'unauthenticated',
    meaning: 'The code of the authenticator app or the recovery code is not correct, or it was used already. Each code works once.',
  },
  passkey_refused: {
    kind: 'unauthenticated',
    meaning: 'The passkey is not known, its challenge was used or has expired, or its signature is not valid. Try again.',
  },
  enrolment_expired: { kind: 'gone', meaning: 'The setup of the authenticator app was not finished within an hour. Start again.' },
  authenticator_exists: { kind: 'conflict', meaning: 'The person has an authenticator app already. Remove it first.' },
  authenticator_unreadable: {
    kind: 'unavailable',
    meaning: 'The secret of the authenticator app was encrypted under another APP_SECRET. Name that one in APP_SECRET_PREVIOUS.',
  },
  passkey_exists: { kind: 'conflict', meaning: 'This passkey was added already.' },
  too_many_passkeys: { kind: 'conflict', meaning: 'The person has the maximum number of passkeys. Remove one first.' },
  passkey_name_invalid: { kind: 'invalid', meaning: 'The name of a passkey is empty, too long, or has more than one line.' },
  factor_reset_impossible: {
    kind: 'conflict',
    meaning: 'The user is disabled or does not sign in with a password, so that a link to remove second factors would not help.',
  },
  mails_unavailable: {
    kind: 'unavailable',
    meaning: 'This installation sends no e-mails. The operator has to set SMTP_URL, or sets passwords on the command line.',
  },
  second_factor_unknown: { kind: 'not_found', meaning: 'The person does not have this second factor, or it was removed already.' },
  second_factor_required: {
    kind: 'conflict',
    meaning: 'The customer or an administrator requires a second factor, and this is the last one. Add another one first.',
  },
  user_unknown: { kind: 'not_found', meaning: 'There is no user with this e-mail address.' },
  last_administrator: {
    kind: 'conflict',
    meaning:
      'Afterwards no administrator (adminLevel 9 or more) of the customer could sign in. Make another user who can an administrator first.',
  },
  email_taken: { kind: 'conflict', meaning: 'Another user, perhaps of another customer, has this e-mail address. Choose a different one.' },
  user_disabled: { kind: 'conflict', meaning: 'The user is disabled and gets no mails. Enable the user first.' },
  email_invalid: { kind: 'invalid', meaning: 'The new e-mail address is not an address, or it is the present one of the account.' },
  invitation_accepted: { kind: 'conflict', meaning: 'The person has a password already, so that no invitation is needed.' },
  use_account_page: {
    kind: 'forbidden',
    meaning:
      'People change their own address, password and second factors on their account page (/account) only, and by API they can only lower their own rights.',
  },
  confirmation_required: {
    kind: 'forbidden',
    meaning:
      'The change needs a sign-in or confirmation of the person within the last `max_age` seconds, with the second factor of a person who has one. Send the person to authorize with `acr_values`, unless it is null, and `max_age`, and repeat the request with the new token. Callers for whom no person signed in cannot make the change.',
  },
  operator_only: {
    kind: 'forbidden',
    meaning: 'Only operators may do this: users of the customer that runs the service, with adminLevel 100 or more.',
  },
  user_still_needed: {
    kind: 'conflict',
    meaning: 'Records of the customer name the user as their creator, editor or owner. Transfer them to another user first.',
  },
  user_cannot_take_over: {
    kind: 'conflict',
    meaning:
      'Records can be transferred only to an enabled user of the same customer, and subscriptions and client applications only to one without more rights.',
  },
  customer_still_needed: {
    kind: 'conflict',
    meaning: 'The customer runs the service, it has media, or client applications act as one of its users.',
  },
  erasure_unfinished: {
    kind: 'unavailable',
    meaning: 'Work that uses data of the erased person is still in progress. The person is disabled; repeat the erasure.',
  },
  customer_unknown: { kind: 'invalid', meaning: 'There is no customer with this name. Declare it under customers first.' },
  customer_name_taken: { kind: 'conflict', meaning: 'Another customer has this name. Choose a different one.' },
  support_access_refused: {
    kind: 'forbidden',
    meaning: 'Only support staff may use support access, only for a customer that has opened it, and only for a user of that customer.',
  },
  user_of_other_customer: {
    kind: 'conflict',
    meaning: 'The e-mail address belongs to a user of another customer. Users cannot be moved to another customer.',
  },
});
