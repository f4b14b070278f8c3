import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { Database } from '../../shared/database/index.js';
import { appendCookie, cookieValues, securePrefix } from '../../shared/http/index.js';
import { Log } from '../../shared/logging/index.js';
import { sha256 } from '../../shared/secrets/index.js';
import type { User } from '../accounts/index.js';
import type { IdentityProvider } from './identity-provider.entity.js';
import { IdentityProvidersService } from './identity-providers.service.js';
import { ResponseVerifierService, type VerifiedResponse } from './response-verifier.service.js';
import { SamlRefusal, samlError } from './saml.errors.js';
import { type ResolvedPerson, SamlPeopleService } from './saml-people.service.js';
import { SamlRequestsRepository } from './saml-requests.repository.js';
import { ServiceProviderService } from './service-provider.service.js';

const REQUEST_SECONDS = 3_600; // time to sign in at the identity provider; equals the lifetime of the waiting interaction
const HANDLE_SECONDS = 60; // enough for one redirect
const BROWSER_TOKEN = /^[\w-]{43}$/;

/** A request of a browser and its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Who has signed in at an identity provider. */
export interface RedeemedHandle {
  readonly userId: number;
  /** The sign-in whose NameID is linked to the user once the person has confirmed it; null: nothing is to be linked. */
  readonly linkRequestId: string | null;
}

interface LoginOptions {
  readonly ssoIdentifier: string;
  /** Path of this service, without a query, that redeems the handle; it lies below the path of the page that starts the sign-in. */
  readonly returnTo: string;
  /** The person must authenticate again, whatever session the identity provider has. */
  readonly forceAuthn: boolean;
}

/**
 * Signs people in at identity providers in three requests: the browser is sent there, brings back a response, and completes the sign-in with a
 * one-time handle. A cookie proves that the first and the last request come from the same browser.
 */
@Injectable()
export class SingleSignOnService {
  private readonly cookieName: string;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly providers: IdentityProvidersService,
    private readonly serviceProvider: ServiceProviderService,
    private readonly requests: SamlRequestsRepository,
    private readonly verifier: ResponseVerifierService,
    private readonly people: SamlPeopleService,
  ) {
    this.cookieName = `${securePrefix(config.publicUrl)}saml_login`;
  }

  /** The customer of an identity provider; null if the identity provider does not exist. */
  async findCustomerId(ssoIdentifier: string): Promise<number | null> {
    return (await this.providers.find(ssoIdentifier))?.customerId ?? null;
  }

  /**
   * Returns the URL of the identity provider to redirect the browser to. Sets the cookie by which the browser is recognised later.
   * @throws DomainError 404 `saml_provider_unknown`
   */
  async startLogin({ request, response }: Exchange, { ssoIdentifier, returnTo, forceAuthn }: LoginOptions): Promise<string> {
    const provider = await this.getProvider(ssoIdentifier);
    const browserHash = sha256(this.identifyBrowser(request, response, parentOf(returnTo)));
    return await this.serviceProvider.createLoginUrl(provider, {
      returnTo,
      browserHash,
      expiresAt: this.inSeconds(REQUEST_SECONDS),
      forceAuthn,
    });
  }

  /**
   * Accepts the response that a browser brings from the identity provider. Returns the path to continue at: `returnTo` with a `handle`. Browsers
   * do not send the cookie with such a cross-site POST, so the browser is checked when the handle is redeemed.
   * @throws DomainError `saml_…`
   */
  async acceptResponse(request: IncomingMessage, ssoIdentifier: string, field: unknown): Promise<string> {
    const provider = await this.getProvider(ssoIdentifier);
    try {
      const verified = await this.verifier.verify(provider, field);
      await this.consume(provider, verified);
      const resolved = await this.people.resolve(provider, verified.assertion);
      return await this.createHandle(provider, verified, resolved);
    } catch (error) {
      throw this.explained(error, { requestId: request.context.id, ssoIdentifier });
    }
  }

  /**
   * Redeems a handle and returns the user's id: once, within a minute, and only in the browser that started the sign-in. With a `linkRequestId` the
   * person must confirm that the user is theirs, and `link` completes it.
   * @throws DomainError `saml_handle_expired`, `saml_other_browser`
   */
  async redeemHandle(request: IncomingMessage, handle: string): Promise<RedeemedHandle> {
    const handleHash = sha256(handle);
    const browserHash = sha256(this.findBrowserToken(request) ?? '');
    const redeemed = await this.requests.redeem({ handleHash, browserHash }, this.clock.now());
    if (redeemed && redeemed.userId !== null) {
      return { userId: redeemed.userId, linkRequestId: redeemed.linkNameId === null ? null : redeemed.id };
    }
    const pending = await this.requests.findByHandle(handleHash);
    throw samlError(pending && pending.browserHash !== browserHash ? 'saml_other_browser' : 'saml_handle_expired');
  }

  /**
   * Links the NameID of a redeemed handle to its user, who has confirmed it.
   * @throws DomainError `saml_…`
   */
  async link(request: IncomingMessage, linkRequestId: string, user: User): Promise<void> {
    const found = await this.requests.findToLink(linkRequestId, user.id);
    const provider = found && (await this.providers.findById(found.identityProviderId));
    if (!provider || found.linkNameId === null) throw samlError('saml_handle_expired');
    try {
      await this.people.link(provider, { nameId: found.linkNameId, nameIdFormat: found.linkNameIdFormat ?? '' }, user);
    } catch (error) {
      throw this.explained(error, { requestId: request.context.id, ssoIdentifier: provider.ssoIdentifier });
    }
  }

  /**
   * Returns the service provider metadata for an identity provider.
   * @throws DomainError 404 `saml_provider_unknown`
   */
  async createMetadata(ssoIdentifier: string): Promise<string> {
    return await this.serviceProvider.createMetadata(await this.getProvider(ssoIdentifier));
  }

  /** Marks the request and the assertion as used, even if the person cannot be signed in afterwards. */
  private async consume(provider: IdentityProvider, { requestId, assertion }: VerifiedResponse): Promise<void> {
    const request = { id: requestId, identityProviderId: provider.id };
    await this.database.transaction(async () => {
      if (!(await this.requests.consume(request, this.clock.now(), this.inSeconds(HANDLE_SECONDS)))) {
        throw new SamlRefusal('saml_response_replayed', 'another response to the request was accepted at the same moment');
      }
      if (!(await this.requests.claimAssertion(provider.id, assertion))) {
        throw new SamlRefusal('saml_assertion_replayed', 'the assertion was used for another request');
      }
    });
  }

  /** The error that the person sees; its reason is logged. */
  private explained(error: unknown, about: { readonly requestId: string; readonly ssoIdentifier: string }): unknown {
    if (!(error instanceof SamlRefusal)) return error;
    this.log.warn({ ...about, error: error.code, detail: error.reason }, 'saml response refused');
    return samlError(error.code);
  }

  private async createHandle(
    provider: IdentityProvider,
    { requestId, assertion: { nameId, nameIdFormat } }: VerifiedResponse,
    { user, isToLink }: ResolvedPerson,
  ): Promise<string> {
    const request = await this.requests.find(provider.id, requestId);
    if (!request) throw new SamlRefusal('saml_request_unknown', 'the request was deleted at the same moment');
    const handle = randomBytes(32).toString('base64url');
    await this.requests.setHandle(requestId, {
      userId: user.id,
      handleHash: sha256(handle),
      handleExpiresAt: this.inSeconds(HANDLE_SECONDS),
      linkNameId: isToLink ? nameId : null,
      linkNameIdFormat: isToLink ? nameIdFormat : null,
    });
    return `${request.returnTo}?${new URLSearchParams({ handle })}`;
  }

  /** Sets the cookie. An existing token of the browser is kept, so that sign-ins in two tabs can both be completed. */
  private identifyBrowser(request: IncomingMessage, response: ServerResponse, path: string): string {
    const value = this.findBrowserToken(request) ?? randomBytes(32).toString('base64url');
    const secure = this.config.publicUrl.startsWith('https:');
    appendCookie(response, { name: this.cookieName, value, path, maxAgeSeconds: REQUEST_SECONDS, secure });
    return value;
  }

  private findBrowserToken({ headers }: IncomingMessage): string | null {
    return cookieValues(headers.cookie, this.cookieName).find((value) => BROWSER_TOKEN.test(value)) ?? null;
  }

  private async getProvider(ssoIdentifier: string): Promise<IdentityProvider> {
    const provider = await this.providers.find(ssoIdentifier);
    if (!provider) throw samlError('saml_provider_unknown');
    return provider;
  }

  private inSeconds(seconds: number): Date {
    return new Date(this.clock.now().getTime() + seconds * 1_000);
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
