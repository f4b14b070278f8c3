/** Hashes passwords slowly, so that a stolen table is of little use. */
export abstract class PasswordHasher {
  /** The hash to store, with its parameters and salt. */
  abstract hash(password: string): Promise<string>;
  /** Whether the password matches the hash; both results cost the same work. */
  abstract verify(hash: string, password: string): Promise<boolean>;

  /**
   * Whether a typed password matches the hash, in Unicode normal form C (NIST SP 800-63B-4 section 3.1.1.2) or as typed. Hashes of earlier versions may be
   * of other forms. Both results cost the same work.
   */
  async matches(hash: string, typed: string): Promise<boolean> {
    const forms = new Set([typed.normalize('NFC'), typed]);
    const results = await Promise.all([...forms].map(async (form) => await this.verify(hash, form)));
    return results.includes(true);
  }

  /** The hash to store for a password that may be unchanged: `stored` if the password matches it, otherwise a new hash. */
  async hashIfChanged(password: string, stored: string | null | undefined): Promise<string> {
    if (stored && (await this.matches(stored, password))) return stored;
    return await this.hash(password.normalize('NFC'));
  }
}
