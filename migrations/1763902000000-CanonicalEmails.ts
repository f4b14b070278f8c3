import { domainToASCII } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No domain is longer, and Node.js takes quadratic time to convert one. */
const MAX_DOMAIN_CHARACTERS = 1_024;

/**
 * Gives international e-mail addresses the spelling by which they are compared now. An address that another user has in this spelling stays as it is, and
 * its user cannot be found by it; such users can only have come from one person under two spellings.
 */
export class CanonicalEmails1763902000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const users: { id: number; email: string }[] = await runner.query(`SELECT id, email FROM users WHERE email ~ '[^ -~]' ORDER BY id`);
    for (const { id, email } of users) {
      const canonical = canonicalEmail(email);
      if (canonical === email) continue;
      await runner.query(
        `UPDATE users SET email = $2 WHERE id = $1
          AND NOT EXISTS (SELECT FROM users AS other WHERE other.email = $2 AND (other.kind = 'sender') = (users.kind = 'sender') AND other.id <> $1)`,
        [id, canonical],
      );
    }
  }

  /** Both spellings are valid in the version before. */
  async down(): Promise<void> {}
}

/** NFC, in lower case, the domain as A-labels. A text without a valid domain keeps what stands there. */
function canonicalEmail(address: string): string {
  const text = address.trim().normalize('NFC').toLowerCase();
  const at = text.lastIndexOf('@');
  const domain = at === -1 ? '' : text.slice(at + 1);
  const ascii = domain.length > MAX_DOMAIN_CHARACTERS ? '' : domainToASCII(domain);
  return ascii === '' ? text : `${text.slice(0, at)}@${ascii}`;
}
