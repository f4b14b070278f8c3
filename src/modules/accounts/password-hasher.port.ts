/** Hashes passwords slowly, so that a stolen table is of little use. */
export abstract class PasswordHasher {
  /** The hash to store, with its parameters and salt. */
  abstract hash(password: string): Promise<string>;
  /** Whether the password matches the hash; both results cost the same work. */
  abstract verify(hash: string, password: string): Promise<boolean>;

  /** The hash to store for a password that may be unchanged: `stored` if the password matches it, otherwise a new hash. */
  async hashIfChanged(password: string, stored: string | null | undefined): Promise<string> {
    if (stored && (await this.verify(stored, password))) return stored;
    return await this.hash(password);
  }
}
