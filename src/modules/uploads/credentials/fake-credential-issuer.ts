import { CredentialIssuer, type CredentialRequest, type Credentials, PolicyTooLarge } from './credential-issuer.port.js';

/** Issues credentials that name what was requested; for tests. */
export class FakeCredentialIssuer extends CredentialIssuer {
  readonly requests: CredentialRequest[] = [];
  /** Policies with more keys than this are too large. */
  maxKeys = Number.POSITIVE_INFINITY;

  async findProblem(): Promise<null> {
    return null;
  }

  async issue(request: CredentialRequest): Promise<Credentials> {
    this.requests.push(request);
    const { Statement } = JSON.parse(request.policy) as { Statement: { Resource: string[] }[] };
    if (Statement.some(({ Resource }) => Resource.length > this.maxKeys)) throw new PolicyTooLarge();
    return {
      AccessKeyId: `key-${this.requests.length}`,
      SecretAccessKey: 'secret',
      SessionToken: request.policy,
      Expiration: new Date(Date.now() + request.ttlSeconds * 1_000).toISOString(),
    };
  }
}
