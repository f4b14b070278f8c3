/** Temporary credentials as STS words them; `Expiration` is ISO 8601. */
export interface Credentials {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
  readonly Expiration: string;
}

export interface CredentialRequest {
  /** A session policy of at most 2,048 characters. */
  readonly policy: string;
  /** 900 to 43,200. */
  readonly ttlSeconds: number;
  /** Names the session in the storage's own log, 2 to 64 of `[\w+=,.@-]`. */
  readonly sessionName: string;
}

/** The packed form of the policy is too large, which only the issuer can know: ask for fewer keys. */
export class PolicyTooLarge extends Error {
  override readonly name = 'PolicyTooLarge';
}

/** Who hands out temporary credentials for the storage. */
export abstract class CredentialIssuer {
  /** @throws PolicyTooLarge, or DomainError `storage_unavailable` */
  abstract issue(request: CredentialRequest): Promise<Credentials>;
}
