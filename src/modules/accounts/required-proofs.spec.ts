import { describe, expect, it } from '@jest/globals';
import { missingConfirmation, REQUIRED_PROOFS } from './required-proofs.js';

const NOW = new Date('2026-11-29T12:00:00Z');
const ago = (seconds: number) => NOW.getTime() / 1_000 - seconds;
const person = (passwordHash: string | null, hasSecondFactor = false) => ({ passwordHash, hasSecondFactor });
const askFor = (acr_values: 'mfa' | null) => ({ acr_values, max_age: 300 });

describe('a confirmation', () => {
  const proof = REQUIRED_PROOFS.accessKey.api;

  it.each([
    ['a password a moment ago', person('hash'), { amr: ['pwd'], authTime: ago(299) }, null],
    ['a password five minutes ago', person('hash'), { amr: ['pwd'], authTime: ago(300) }, askFor(null)],
    ['a password without the second factor', person('hash', true), { amr: ['pwd'], authTime: ago(0) }, askFor('mfa')],
    ['a second factor', person('hash', true), { amr: ['pwd', 'otp', 'mfa'], acr: 'mfa', authTime: ago(0) }, null],
    [
      'a second factor five minutes ago',
      person('hash', true),
      { amr: ['pwd', 'otp', 'mfa'], acr: 'mfa', authTime: ago(300) },
      askFor('mfa'),
    ],
    ['a passkey alone', person('hash'), { amr: ['hwk', 'user', 'mfa'], acr: 'mfa', authTime: ago(0) }, null],
    ['an identity provider, of a person without secrets', person(null), { authTime: ago(0) }, null],
    ['an identity provider, of a person with a password', person('hash'), { authTime: ago(0) }, askFor(null)],
    ['an identity provider, of a person with a second factor', person(null, true), { authTime: ago(0) }, askFor('mfa')],
    ['no sign-in of a person', person(null), {}, askFor(null)],
    ['methods without a time', person('hash'), { amr: ['pwd'] }, askFor(null)],
  ])('with %s', (_, of, authentication, expected) => {
    expect(missingConfirmation(proof, authentication, { person: of, now: NOW })).toEqual(expected);
  });
});
