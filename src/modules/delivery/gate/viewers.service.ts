import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, CallerAuthenticationService, DROPSITE_SCOPE, isSession } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors.js';
import { AuthorizationsService } from '../../access/index.js';
import type { EmbedLink } from '../../player-configurations/index.js';
import { parseAddress } from '../decision/addresses.js';
import type { CompiledPolicy } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import { ViewerTokensService } from './viewer-tokens.service.js';

/** Reads the viewer from a request. Looks up only what the policy asks for. */
@Injectable()
export class ViewersService {
  constructor(
    private readonly authenticators: CallerAuthenticationService,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: ViewerTokensService,
  ) {}

  async read(request: Request, link: EmbedLink, policy: CompiledPolicy): Promise<Viewer> {
    const { host, clientAddress } = request.context;
    const { auth, extAuth, oauth } = policy.settings;
    const [token, session, extAuthAccessKey, hasPass] = await Promise.all([
      auth || oauth ? this.findCaller(request, ['bearer']) : null,
      auth || oauth?.bySession ? this.findCaller(request, ['session', 'framed_session']) : null,
      extAuth ? this.tokens.findAccessKey(request, link) : null,
      auth && this.tokens.hasPass(request, link),
    ]);
    const { admission } = request.query;
    return {
      address: parseAddress(clientAddress),
      referer: request.headers.referer ?? request.headers.origin ?? null,
      fromPlayer: typeof admission === 'string' && this.tokens.isAdmitted(admission, link.link, clientAddress),
      host,
      userOfCustomer: hasPass || [token, session].some((caller) => caller !== null && isUserOf(link, caller)),
      sessionUserId: session && isUserOf(link, session) ? session.userId : null,
      tokenClientId: token?.clientId ?? null,
      sessionClientId: await this.findAuthorizedClient(session, policy),
      extAuthAccessKey,
    };
  }

  /** Null also for credentials that are not good: they count as none. Senders of a dropsite proved nothing but an address. */
  private async findCaller(request: Request, methods: readonly Caller['method'][]): Promise<Caller | null> {
    try {
      const caller = await this.authenticators.authenticate(request, request.res as Response, new Set(methods));
      return caller && (isSession(caller) || !caller.scopes.has(DROPSITE_SCOPE)) ? caller : null;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return null;
      throw error;
    }
  }

  private async findAuthorizedClient(session: Caller | null, { settings: { oauth } }: CompiledPolicy): Promise<string | null> {
    if (!session || !oauth?.bySession) return null;
    return (await this.authorizations.exists(session.userId, oauth.clientId)) ? oauth.clientId : null;
  }
}

/** A token without the scope to read the API does not sign its user in here either. */
const isUserOf = ({ customerId }: EmbedLink, { customerId: own, scopes }: Caller): boolean =>
  own === customerId && (scopes.has('api') || scopes.has('api:read'));
