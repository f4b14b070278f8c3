import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerToken, type Caller, CallerAuthenticationService, DROPSITE_SCOPE, isSession } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors.js';
import { AuthorizationsService, BearerAuthenticationService } from '../../access/index.js';
import type { DeliveredLink } from '../../player-configurations/index.js';
import { parseAddress } from '../decision/addresses.js';
import type { CompiledPolicy } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import { findAllowedPage } from '../decision/rules/match-referer.rule.js';
import { ViewerTokensService } from './viewer-tokens.service.js';

/** The query parameters that admit a viewer, and name the play to which a request belongs. */
export interface ViewerTokens {
  readonly auth?: string;
  readonly admission?: string;
  readonly play?: string;
}

/** A viewer whom a link admits, and what is known about them. */
interface Admitted<Known extends keyof Viewer> {
  readonly link: Pick<DeliveredLink, 'link'>;
  readonly policy: CompiledPolicy;
  readonly viewer: Pick<Viewer, Known>;
}
type AdmittedByPage = Admitted<'admittedPage' | 'referer'>;
type AdmittedByToken = Admitted<'extAuthAccessKey' | 'tokenClientId'>;

/** Reads the viewer from a request. Looks up only what the policy requires. */
@Injectable()
export class ViewersService {
  constructor(
    private readonly authenticators: CallerAuthenticationService,
    private readonly bearers: BearerAuthenticationService,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: ViewerTokensService,
  ) {}

  async read(request: Request, link: DeliveredLink, policy: CompiledPolicy): Promise<Viewer> {
    const { host, clientAddress } = request.context;
    const { auth, extAuth, oauth } = policy.settings;
    const [token, session, extAuthAccessKey, hasPass] = await Promise.all([
      auth || oauth ? this.findTokenCaller(request, link) : null,
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

  /**
   * Whether a request comes from a browser in which a user of the link's customer is signed in. A token is no sign of that: applications send those of
   * people to whom they show media.
   */
  async isOwner(request: Request, { customerId }: Pick<DeliveredLink, 'customerId'>): Promise<boolean> {
    const session = await this.findCaller(async () => await this.authenticate(request, ['session', 'framed_session']));
    return session?.customerId === customerId;
  }

  /** The query parameters that admit the viewer to the parts of an admitted link; each address within the link has to contain them. */
  tokensOf(admitted: AdmittedByPage & AdmittedByToken, request: Request): ViewerTokens {
    const admission = this.issueAdmission(admitted, request.context.clientAddress);
    const { auth = this.wrapBearerToken(admitted, request) } = request.query;
    return { ...(typeof auth === 'string' && { auth }), ...(admission !== null && { admission }) };
  }

  /** The token in the header as a value of the query parameter `auth`, if it admits the viewer. An external token is already made for URLs. */
  private wrapBearerToken({ link, viewer }: AdmittedByToken, request: Request): string | null {
    const token = bearerToken(request);
    if (token === null) return null;
    if (viewer.extAuthAccessKey !== null) return Buffer.from(`:${token}`).toString('base64url');
    return viewer.tokenClientId === null ? null : this.tokens.sealAccessToken(link, token);
  }

  /** Issues an admission for the page that `matchReferer` allows; null: the rule is not set, or allows no page of the viewer. */
  issueAdmission({ link: { link }, policy, viewer }: AdmittedByPage, address: string): string | null {
    const { matchReferer } = policy.settings;
    const page = matchReferer && findAllowedPage(matchReferer, viewer);
    return page && this.tokens.issueAdmission({ link, address, page });
  }

  /** The caller of a request; null also for invalid credentials, which count as none, and for senders of a dropsite, whose address is unverified. */
  private async findCaller(authenticate: () => Promise<Caller | null>): Promise<Caller | null> {
    try {
      const caller = await authenticate();
      return caller && (isSession(caller) || !caller.scopes.has(DROPSITE_SCOPE)) ? caller : null;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return null;
      throw error;
    }
  }

  /** The caller by the header, or by the token that was sealed into an address of a playlist. */
  private async findTokenCaller(request: Request, link: DeliveredLink): Promise<Caller | null> {
    const byHeader = await this.findCaller(async () => await this.authenticate(request, ['bearer']));
    const token = byHeader ? null : this.tokens.openAccessToken(request, link);
    return token === null ? byHeader : await this.findCaller(async () => await this.bearers.authenticateToken(token, request));
  }

  private async authenticate(request: Request, methods: readonly Caller['method'][]): Promise<Caller | null> {
    return await this.authenticators.authenticate(request, request.res as Response, new Set(methods));
  }

  private async findAuthorizedClient(session: Caller | null, { settings: { oauth } }: CompiledPolicy): Promise<string | null> {
    if (!session || !oauth?.bySession) return null;
    return (await this.authorizations.exists(session.userId, oauth.clientId)) ? oauth.clientId : null;
  }
}

/** Whether a caller counts as a user of the customer; a token without the scope to read the API does not sign its user in here either. */
const isUserOf = ({ customerId }: DeliveredLink, { customerId: own, scopes }: Caller): boolean =>
  own === customerId && (scopes.has('api') || scopes.has('api:read'));
