import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakePasswordHasher } from '../../../test/support/accounts/fake-password-hasher.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.adapter.js';
import type { PasswordHasher } from './password-hasher.port.js';

const adapters: [string, PasswordHasher][] = [
  ['argon2id', new Argon2PasswordHasher()],
  ['the fake', new FakePasswordHasher()],
];

describe.each(adapters)('a hash of a password by %s', (_name, hasher) => {
  it('belongs to that password and to no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (password, other) => {
        const hash = await hasher.hash(password);
        expect(await hasher.verify(hash, password)).toBe(true);
        expect(await hasher.verify(hash, other)).toBe(password === other);
      }),
      { numRuns: 15 },
    );
  });

  it.each([
    ['in another case', 'correct horse', 'Correct horse'],
    ['with a space behind it', 'correct horse', 'correct horse '],
    ['cut off', 'correct horse', 'correct hors'],
    ['cut off at a NUL character', 'correct\0horse', 'correct'],
    ['cut off after 72 bytes', `${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
    ['empty', 'correct horse', ''],
    ['not empty', '', ' '],
  ])('does not belong to it %s', async (_difference, password, other) => {
    const hash = await hasher.hash(password);
    expect([await hasher.verify(hash, password), await hasher.verify(hash, other)]).toEqual([true, false]);
  });

  it('takes a password of 4096 characters whole', async () => {
    const password = 'ü'.repeat(4_096);
    const hash = await hasher.hash(password);
    expect([await hasher.verify(hash, password), await hasher.verify(hash, password.slice(1))]).toEqual([true, false]);
  });

  it('differs every time, and does not reveal the password', async () => {
    const hashes = await Promise.all(['correct-horse', 'correct-horse'].map(async (password) => await hasher.hash(password)));
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(hashes.join(' ')).not.toContain('correct-horse');
    for (const hash of hashes) expect(hash).toMatch(/^[\x21-\x7e]{40,200}$/);
  });

  it('stays the same for the same password, and is a new one otherwise', async () => {
    const stored = await hasher.hash('correct horse');
    expect(await hasher.hashIfChanged('correct horse', stored)).toBe(stored);
    for (const before of [stored, null, undefined]) {
      const changed = await hasher.hashIfChanged('battery staple', before);
      expect(await hasher.verify(changed, 'battery staple')).toBe(true);
    }
  });

  it.each(['', 'correct horse', '$argon2id$', 'fake$', '$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde'])(
    'is not any other text: "%s"',
    async (stored) => {
      await expect(hasher.verify(stored, 'correct horse')).rejects.toThrow();
    },
  );

  it('does not disturb others that are made at the same time', async () => {
    const passwords = Array.from({ length: 8 }, (_, index) => `password ${index}`);
    const hashes = await Promise.all(passwords.map(async (password) => await hasher.hash(password)));
    const answers = await Promise.all(hashes.map(async (hash, index) => await hasher.verify(hash, passwords[index] ?? '')));
    expect(answers).toEqual(passwords.map(() => true));
  });
});

describe('argon2id', () => {
  it('has the parameters of the OWASP guide in the hash', async () => {
    expect(await new Argon2PasswordHasher().hash('x')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('verifies hashes with other parameters, so that the parameters can change', async () => {
    // A test vector of the reference implementation (github.com/P-H-C/phc-winner-argon2, src/test.c).
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const hasher = new Argon2PasswordHasher();
    expect([await hasher.verify(stored, 'password'), await hasher.verify(stored, 'Password')]).toEqual([true, false]);
  });
});
