import { createHash, randomBytes } from 'node:crypto';
import { PasswordHasher } from '../../../src/modules/accounts/password-hasher.port.js';

const FORMAT = /^fake\$([\w-]{16})\$([\w-]{43})$/;

/** Hashes passwords in no time; for tests. It keeps the contract of password-hasher.port.spec.ts and protects nothing. */
export class FakePasswordHasher extends PasswordHasher {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(12).toString('base64url');
    return `fake$${salt}$${digest(salt, password)}`;
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const [, salt, expected] = FORMAT.exec(stored) ?? [];
    if (!salt || !expected) throw new Error('This is no hash of a password.');
    return digest(salt, password) === expected;
  }
}

const digest = (salt: string, password: string): string => createHash('sha256').update(`${salt} ${password}`).digest('base64url');
