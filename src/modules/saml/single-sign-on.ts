import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../shared/config/index.js';
import { Database } from '../../shared/database/index.js';
import { Log } from '../../shared/logging/index.js';
import { sha256 } from '../../shared/secrets/index.js';
import { Clock } from '../../shared/time/index.js';
import type { IdentityProvider } from './identity-providers/identity-provider.entity.js';
import { IdentityProviders } from './identity-providers/identity-providers.js';
import { SamlPeople } from './people/saml-people.js';
import { markBrowser, readMark } from './requests/browser-mark.js';
import { RequestCache } from './requests/request-cache.js';
import { SamlRequests } from './requests/saml-requests.js';
import { ResponseVerifier, type VerifiedResponse } from './responses/response-verifier.js';
import { UsedAssertions } from './responses/used-assertions.js';
import { samlError } from './saml.errors.js';
import { SamlRefusal } from './saml-refusal.js';
import { ServiceProvider } from './service-provider/service-provider.js';

const REQUEST_SECONDS = 3_600; // time to sign in at the identity provider, as long as the interaction that waits for it
const HANDLE_SECONDS = 60; // one redirect

/** One request of a browser. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a login begins with. */
interface LoginStart {
  readonly ssoIdentifier: string;
  /** Path of our own, without a query, that redeems the handle; it stands below the path of the page that begins. */
  readonly returnTo: string;
  /** The person has to prove anew who they are, whatever session the identity provider keeps. */
  readonly forceAuthn: boolean;
}

/** Sign-in at identity providers: a login begins here, a response is accepted, and the browser that began goes on with a handle. */
@Injectable()
export class SingleSignOn {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly providers: IdentityProviders,
    private readonly serviceProvider: ServiceProvider,
    private readonly requests: SamlRequests,
    private readonly verifier: ResponseVerifier,
    private readonly assertions: UsedAssertions,
    private readonly people: SamlPeople,
  ) {}

  async knows(ssoIdentifier: string): Promise<boolean> {
    return (await this.providers.find(ssoIdentifier)) !== null;
  }

  /** The customer whose people sign in there, or null when there is no such identity provider. */
  async customerOf(ssoIdentifier: string): Promise<number | null> {
    return (await this.providers.find(ssoIdentifier))?.customerId ?? null;
  }

  /** Whether the service is reached by https. */
  private get isSecure(): boolean {
    return this.config.publicUrl.startsWith('https:');
  }

  /**
   * Where to send the browser; it is marked with a cookie.
   * @throws DomainError 404 `saml_provider_unknown`
   */
  async begin({ request, response }: Exchange, { ssoIdentifier, returnTo, forceAuthn }: LoginStart): Promise<string> {
    const provider = await this.provider(ssoIdentifier);
    const mark = markBrowser(request, response, { path: parentOf(returnTo), secure: this.isSecure, seconds: REQUEST_SECONDS });
    const beginning = { returnTo, browserHash: sha256(mark), expiresAt: this.inSeconds(REQUEST_SECONDS) };
    return await this.serviceProvider.loginUrl(provider, { forceAuthn, requests: new RequestCache(this.requests, provider.id, beginning) });
  }

  /**
   * Takes the response that a browser brings from the identity provider, and answers where it goes on: `returnTo` with `handle`. The cookie
   * of the mark does not come with such a cross-site POST, so the browser is recognised at the next step.
   * @throws DomainError `saml_…`
   */
  async accept(request: IncomingMessage, ssoIdentifier: string, field: unknown): Promise<string> {
    const provider = await this.provider(ssoIdentifier);
    try {
      const verified = await this.verifier.verify(provider, field);
      await this.useUp(provider, verified);
      const user = await this.people.resolve(provider, verified.assertion);
      return await this.handOver(provider, { requestId: verified.requestId, userId: user.id });
    } catch (error) {
      if (!(error instanceof SamlRefusal)) throw error;
      const { code, reason } = error;
      this.log.warn({ requestId: request.context.id, ssoIdentifier, error: code, detail: reason }, 'saml response refused');
      throw samlError(code);
    }
  }

  /**
   * The user whom a handle signs in: once, soon, and in the browser that began.
   * @throws DomainError `saml_handle_expired`, `saml_other_browser`
   */
  async redeem(request: IncomingMessage, handle: string): Promise<number> {
    const handleHash = sha256(handle);
    const browserHash = sha256(readMark(request, this.isSecure) ?? '');
    const userId = await this.requests.redeem({ handleHash, browserHash }, this.clock.now());
    if (userId !== null) return userId;
    const waiting = await this.requests.findByHandle(handleHash);
    throw samlError(waiting && waiting.browserHash !== browserHash ? 'saml_other_browser' : 'saml_handle_expired');
  }

  /** Service provider metadata. Throws DomainError 404 `saml_provider_unknown`. */
  async metadata(ssoIdentifier: string): Promise<string> {
    return await this.serviceProvider.metadata(await this.provider(ssoIdentifier));
  }

  /** From here on neither the request nor the assertion is accepted again, whoever the person turns out to be. */
  private async useUp(provider: IdentityProvider, { requestId, assertion }: VerifiedResponse): Promise<void> {
    const now = this.clock.now();
    const request = { id: requestId, identityProviderId: provider.id };
    await this.database.transaction(async () => {
      if (!(await this.requests.consume(request, now, this.inSeconds(HANDLE_SECONDS)))) {
        throw new SamlRefusal('saml_response_replayed', 'the request was answered at the same moment');
      }
      if (!(await this.assertions.claim(provider.id, assertion))) {
        throw new SamlRefusal('saml_assertion_replayed', 'the assertion was used for another request');
      }
    });
  }

  private async handOver(provider: IdentityProvider, { requestId, userId }: { requestId: string; userId: number }): Promise<string> {
    const request = await this.requests.find(provider.id, requestId);
    if (!request) throw new SamlRefusal('saml_request_unknown', 'the request was deleted at the same moment');
    const handle = randomBytes(32).toString('base64url');
    await this.requests.setHandle(requestId, { userId, handleHash: sha256(handle), handleExpiresAt: this.inSeconds(HANDLE_SECONDS) });
    return `${request.returnTo}?${new URLSearchParams({ handle })}`;
  }

  private async provider(ssoIdentifier: string): Promise<IdentityProvider> {
    const provider = await this.providers.find(ssoIdentifier);
    if (!provider) throw samlError('saml_provider_unknown');
    return provider;
  }

  private inSeconds(seconds: number): Date {
    return new Date(this.clock.now().getTime() + seconds * 1_000);
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
