/** Temporary credentials with the names that STS uses; `Expiration` is ISO 8601. */
export interface Credentials {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
  readonly Expiration: string;
}

export interface CredentialRequest {
  /** A session policy of at most 2,048 characters. */
  readonly policy: string;
  /** Lifetime in seconds, 900 to 43,200. */
  readonly ttlSeconds: number;
  /** The name of the session in the storage's own log: 2 to 64 characters of `[\w+=,.@-]`. */
  readonly sessionName: string;
}

/** The packed form of the policy is too large. Only the issuer can measure it; the same request with fewer keys succeeds. */
export class PolicyTooLarge extends Error {
  override readonly name = 'PolicyTooLarge';
}

/** Issues temporary credentials for the storage. */
export abstract class CredentialIssuer {
  /** Issues credentials. Throws PolicyTooLarge, or DomainError `storage_denied` or `storage_unavailable`. */
  abstract issue(request: CredentialRequest): Promise<Credentials>;

  /** Why no credentials can be issued, as a sentence for the operator; null: they can. Calls the issuer each time, and returns within seconds. */
  abstract findProblem(): Promise<string | null>;
}
