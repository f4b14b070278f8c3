import { defineRule } from './delivery-rule.js';

/** `oauth`: the viewer has to present an access token of a client application, or a login session whose user has authorized the client. */
export const oauthRule = defineRule({
  name: 'oauth',
  combination: 'authentication',
  scope: 'link',
  denials: {
    oauth_required: {
      meaning: 'The player configuration requires an access token of the client application that it names.',
      viewerText: 'This can be seen only in the application that offers it.',
    },
  },
  readSetting: ({ oauth }) =>
    oauth?.enabled === true ? { clientId: oauth.clientId, bySession: oauth.grants?.includes('cookie') === true } : null,
  findDenial: ({ clientId, bySession }, { tokenClientId, sessionClientId }) =>
    tokenClientId === clientId || (bySession && sessionClientId === clientId) ? null : 'oauth_required',
  notSetText: 'Viewers do not need an access token of a client application.',
  explain: ({ clientId, bySession }, { tokenClientId, sessionClientId }) => {
    const isAuthorized = bySession && sessionClientId === clientId;
    if (tokenClientId === clientId) return `The access token was issued to the client application ${clientId}.`;
    if (isAuthorized) return `The user of the login session has authorized the client application ${clientId}.`;
    if (tokenClientId !== null)
      return `The access token was issued to the client application ${tokenClientId}; one of ${clientId} is needed.`;
    const session = bySession ? `, and no login session whose user has authorized ${clientId}` : '';
    return `The request carries no access token of the client application ${clientId}${session}.`;
  },
});
