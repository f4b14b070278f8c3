import { defineRule } from './delivery-rule.js';

/** `auth`: the viewer has to be signed in as a user of the customer. */
export const authRule = defineRule({
  name: 'auth',
  combination: 'authentication',
  scope: 'link',
  denials: {
    auth_required: {
      meaning: 'The player configuration requires a signed-in user of the customer.',
      viewerText: 'Sign in to see this.',
    },
  },
  readSetting: ({ auth }) => (auth?.enabled === true ? true : null),
  findDenial: (_, { userOfCustomer }) => (userOfCustomer ? null : 'auth_required'),
  notSetText: 'Viewers do not have to sign in.',
  explain: (_, { userOfCustomer }) =>
    userOfCustomer ? 'The viewer is signed in as a user of the customer.' : 'The viewer is not signed in as a user of the customer.',
});
