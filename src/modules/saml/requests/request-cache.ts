import type { CacheItem, CacheProvider } from '@node-saml/passport-saml';
import type { SamlRequest } from './saml-request.entity.js';
import type { SamlRequests } from './saml-requests.js';

type Beginning = Pick<SamlRequest, 'returnTo' | 'browserHash' | 'expiresAt'>;

/** node-saml's memory of the requests of one identity provider, in the database, so that the response may arrive at any process. */
export class RequestCache implements CacheProvider {
  /** `beginning` is what to keep with a new request. */
  constructor(
    private readonly requests: SamlRequests,
    private readonly identityProviderId: number,
    private readonly beginning: Beginning | null = null,
  ) {}

  async saveAsync(id: string, value: string): Promise<CacheItem> {
    if (!this.beginning) throw new Error('Only a login that begins makes a request.');
    await this.requests.insert({ ...this.beginning, id, identityProviderId: this.identityProviderId });
    return { value, createdAt: Date.now() };
  }

  /** When the request was made; null when it was answered or is unknown. */
  async getAsync(id: string): Promise<string | null> {
    const request = await this.requests.find(this.identityProviderId, id);
    return request && !request.consumedAt ? request.createdAt.toISOString() : null;
  }

  /** Keeps it: node-saml forgets a request after any response that names it, a forged one too. `SamlRequests.consume` uses it up. */
  async removeAsync(): Promise<null> {
    return null;
  }
}
