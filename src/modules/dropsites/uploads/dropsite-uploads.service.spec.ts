import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../shared/auth/index.js';
import type { Principal } from '../../accounts/index.js';
import { mayUploadFor, namedCreator } from './dropsite-uploads.service.js';

const user = (overrides: Partial<Principal> = {}): Principal => ({
  id: 7,
  customerId: 1,
  email: 'ada@example.org',
  kind: 'person',
  firstname: '',
  lastname: '',
  adminLevel: 0,
  ...overrides,
});

const caller = (scope: string, overrides: Partial<Caller> = {}): Caller => ({
  userId: 3,
  customerId: 1,
  adminLevel: 0,
  email: '',
  method: 'bearer',
  accessKey: null,
  clientId: null,
  scopes: new Set([scope]),
  authorizationId: null,
  token: null,
  supportUserId: null,
  ...overrides,
});

const creator = { id: 7, email: 'ada@example.org' };
const dropsite = { customerId: 1 };

describe('a named creator', () => {
  it.each([
    [7, 'Ada@Example.org', creator],
    [7, undefined, null],
    [7, '', null],
    [undefined, 'ada@example.org', null],
    [null, null, null],
  ])('is read from %s and %s', (id, email, expected) => {
    expect(namedCreator(id, email)).toEqual(expected);
  });

  it.each<[string, { caller: Caller | null; user: Principal | null }, boolean]>([
    ['a user of the customer, for a colleague', { caller: caller('api'), user: user() }, true],
    ['a user of the customer, for a service user', { caller: caller('api'), user: user({ kind: 'service' }) }, true],
    ['a session, for its sender', { caller: caller('dropsite', { userId: 7 }), user: user({ kind: 'sender' }) }, true],
    ['no caller', { caller: null, user: user() }, false],
    ['a user, for an unknown user', { caller: caller('api'), user: null }, false],
    ['a user, with another address', { caller: caller('api'), user: user({ email: 'grace@example.org' }) }, false],
    ['a user, for a sender', { caller: caller('api'), user: user({ kind: 'sender' }) }, false],
    ['a user, for a user of another customer', { caller: caller('api'), user: user({ customerId: 2 }) }, false],
    ['a user of another customer', { caller: caller('api', { customerId: 2 }), user: user() }, false],
    ['a session, for another sender', { caller: caller('dropsite'), user: user({ kind: 'sender' }) }, false],
    ['a session, for a user', { caller: caller('dropsite'), user: user() }, false],
  ])('may be chosen by: %s', (_name, parties, expected) => {
    expect(mayUploadFor(creator, { ...parties, dropsite })).toBe(expected);
  });
});
