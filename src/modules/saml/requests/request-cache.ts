import type { CacheItem, CacheProvider } from '@node-saml/passport-saml';
import type { SamlRequest } from './saml-request.entity.js';
import type { SamlRequests } from './saml-requests.js';

type Beginning = Pick<SamlRequest, 'returnTo' | 'browserHash' | 'expiresAt'>;

/** Where node-saml keeps a new request to one identity provider: in the database, so that the response may arrive at any process. */
export class RequestCache implements CacheProvider {
  /** `beginning` is what to keep with the request. */
  constructor(
    private readonly requests: SamlRequests,
    private readonly identityProviderId: number,
    private readonly beginning: Beginning,
  ) {}

  async saveAsync(id: string, value: string): Promise<CacheItem> {
    await this.requests.insert({ ...this.beginning, id, identityProviderId: this.identityProviderId });
    return { value, createdAt: Date.now() };
  }

  /** Not asked for new requests; ResponseVerifier looks up those that are answered. */
  async getAsync(): Promise<null> {
    return null;
  }

  async removeAsync(): Promise<null> {
    return null;
  }
}
