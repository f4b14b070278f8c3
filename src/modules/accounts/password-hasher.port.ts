/**
 * Hashes passwords slowly, so that a stolen table is of little use. Parties take turns: each customer, and the service for its own calls, which name none.
 * Throws 503 `service_unavailable` if too many passwords wait.
 */
export abstract class PasswordHasher {
  /** The hash to store, with its parameters and salt. */
  abstract hash(password: string, party?: string): Promise<string>;
  /** Whether the password matches the hash; both results cost the same work. */
  abstract verify(hash: string, password: string, party?: string): Promise<boolean>;

  /**
   * Whether a typed password matches the hash, in Unicode normal form C (NIST SP 800-63B-4 section 3.1.1.2) or as typed. Hashes of earlier versions may be
   * of other forms. Both results cost the same work.
   */
  async matches(hash: string, typed: string, party?: string): Promise<boolean> {
    const forms = new Set([typed.normalize('NFC'), typed]);
    const results = await Promise.all([...forms].map(async (form) => await this.verify(hash, form, party)));
    return results.includes(true);
  }

  /** The hash to store for a password that may be unchanged: `stored` if the password matches it, otherwise a new hash. */
  async hashIfChanged(password: string, stored: string | null | undefined, party?: string): Promise<string> {
    if (stored && (await this.matches(stored, password, party))) return stored;
    return await this.hash(password.normalize('NFC'), party);
  }
}
