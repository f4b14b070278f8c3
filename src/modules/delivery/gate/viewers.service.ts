import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, CallerAuthenticationService, DROPSITE_SCOPE, isSession } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors.js';
import { AuthorizationsService, BearerAuthenticationService } from '../../access/index.js';
import type { EmbedLink } from '../../player-configurations/index.js';
import { parseAddress } from '../decision/addresses.js';
import type { CompiledPolicy } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import { findAllowedPage } from '../decision/rules/match-referer.rule.js';
import { queryToken, ViewerTokensService } from './viewer-tokens.service.js';

/** An access token; the header of the JWT begins with `{"`. */
const JWT = /^ey[\w-]*\.[\w-]+\.[\w-]+$/;

/** The query parameters that admit a viewer. */
export interface ViewerTokens {
  readonly auth?: string;
  readonly admission?: string;
}

interface AdmittedViewer {
  readonly link: Pick<EmbedLink, 'link'>;
  readonly policy: CompiledPolicy;
  readonly viewer: Pick<Viewer, 'admittedPage' | 'referer'>;
}

/** Reads the viewer from a request. Looks up only what the policy asks for. */
@Injectable()
export class ViewersService {
  constructor(
    private readonly authenticators: CallerAuthenticationService,
    private readonly bearers: BearerAuthenticationService,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: ViewerTokensService,
  ) {}

  async read(request: Request, link: EmbedLink, policy: CompiledPolicy): Promise<Viewer> {
    const { host, clientAddress } = request.context;
    const { auth, extAuth, oauth } = policy.settings;
    const [token, session, extAuthAccessKey, hasPass] = await Promise.all([
      auth || oauth ? this.findTokenCaller(request) : null,
      auth || oauth?.bySession ? this.findCaller(async () => await this.authenticate(request, ['session', 'framed_session'])) : null,
      extAuth ? this.tokens.findAccessKey(request, link) : null,
      auth && this.tokens.hasPass(request, link),
    ]);
    const { admission } = request.query;
    const admitted = { link: link.link, address: clientAddress };
    return {
      address: parseAddress(clientAddress),
      referer: request.headers.referer ?? request.headers.origin ?? null,
      admittedPage: typeof admission === 'string' ? this.tokens.findAdmittedPage(admission, admitted) : null,
      host,
      userOfCustomer: hasPass || [token, session].some((caller) => caller !== null && isUserOf(link, caller)),
      sessionUserId: session && isUserOf(link, session) ? session.userId : null,
      tokenClientId: token?.clientId ?? null,
      sessionClientId: await this.findAuthorizedClient(session, policy),
      extAuthAccessKey,
    };
  }

  /** What admits the viewer to the parts of an admitted link: each address within it has to carry these query parameters. */
  tokensOf({ link, policy, viewer }: AdmittedViewer, { query: { auth }, context }: Request): ViewerTokens {
    const admission = this.issueAdmission({ link, policy, viewer }, context.clientAddress);
    return { ...(typeof auth === 'string' && { auth }), ...(admission !== null && { admission }) };
  }

  /** An admission for the page that `matchReferer` allows; null: the rule is not set, or allows no page of the viewer. */
  issueAdmission({ link: { link }, policy, viewer }: AdmittedViewer, address: string): string | null {
    const { matchReferer } = policy.settings;
    const page = matchReferer && findAllowedPage(matchReferer, viewer);
    return page && this.tokens.issueAdmission({ link, address, page });
  }

  /** Null also for credentials that are not good: they count as none. Senders of a dropsite proved nothing but an address. */
  private async findCaller(authenticate: () => Promise<Caller | null>): Promise<Caller | null> {
    try {
      const caller = await authenticate();
      return caller && (isSession(caller) || !caller.scopes.has(DROPSITE_SCOPE)) ? caller : null;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return null;
      throw error;
    }
  }

  /** By the header or, because players cannot send it with every request, by the query parameter `auth`. */
  private async findTokenCaller(request: Request): Promise<Caller | null> {
    const token = queryToken(request.query.auth);
    const byHeader = await this.findCaller(async () => await this.authenticate(request, ['bearer']));
    if (byHeader || token === null || !JWT.test(token)) return byHeader;
    return await this.findCaller(async () => await this.bearers.authenticateToken(token, request));
  }

  private async authenticate(request: Request, methods: readonly Caller['method'][]): Promise<Caller | null> {
    return await this.authenticators.authenticate(request, request.res as Response, new Set(methods));
  }

  private async findAuthorizedClient(session: Caller | null, { settings: { oauth } }: CompiledPolicy): Promise<string | null> {
    if (!session || !oauth?.bySession) return null;
    return (await this.authorizations.exists(session.userId, oauth.clientId)) ? oauth.clientId : null;
  }
}

/** A token without the scope to read the API does not sign its user in here either. */
const isUserOf = ({ customerId }: EmbedLink, { customerId: own, scopes }: Caller): boolean =>
  own === customerId && (scopes.has('api') || scopes.has('api:read'));
