import { describe, expect, it } from '@jest/globals';
import { fieldOf, toChanges, toNew, toValues } from './application-values.js';
import type { Application } from './queries.js';

const application = {
  name: 'Newsroom',
  clientId: 'newsroom',
  type: 'web',
  redirectUris: ['https://newsroom.example/a', 'https://newsroom.example/b'],
  postLogoutRedirectUris: [],
  grantTypes: ['refresh_token', 'authorization_code'],
  confidential: true,
  requirePkce: false,
  serviceUserId: null,
  firstParty: false,
  framedConsent: false,
} as unknown as Application;

describe('the form of an application', () => {
  it('sends what it was given, and neither the secret nor what only operators set unless it has changed', () => {
    const values = toValues(application);
    expect(toChanges(values, values)).toEqual({
      ...{ name: 'Newsroom', type: 'web', requirePkce: false, postLogoutRedirectUris: [], serviceUserId: null },
      redirectUris: ['https://newsroom.example/a', 'https://newsroom.example/b'],
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    expect(toChanges({ ...values, confidential: false, firstParty: true }, values)).toMatchObject({
      confidential: false,
      firstParty: true,
    });
  });

  it('reads one URI from each line', () => {
    const values = { ...toValues(application), redirectUris: ' https://a.example/ \n\nhttps://b.example/\r\n' };
    expect(toChanges(values, values).redirectUris).toEqual(['https://a.example/', 'https://b.example/']);
    expect([fieldOf('redirectUris.1'), fieldOf('name')]).toEqual(['redirectUris', 'name']);
  });

  it('creates a client with a generated id, and with a user only if it acts by itself', () => {
    const values = { ...toValues(null), name: 'Robot', serviceUserId: '12', confidential: true };
    expect(toNew(values)).toEqual({
      ...{ name: 'Robot', type: 'web', redirectUris: [], postLogoutRedirectUris: [], requirePkce: true, confidential: true },
      ...{ grantTypes: ['authorization_code', 'refresh_token'], serviceUserId: null },
    });
    const robot = toNew({ ...values, grantTypes: ['client_credentials'], clientId: ' robot ' });
    expect(robot).toMatchObject({ serviceUserId: 12, clientId: 'robot', grantTypes: ['client_credentials'] });
  });
});
