import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, CallerAuthenticators, DROPSITE_SCOPE, isSession } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors/index.js';
import { AuthorizationsService } from '../../access/index.js';
import type { EmbedLink } from '../../player-configurations/index.js';
import type { CompiledPolicy } from '../decision/compile-policy.js';
import { parseAddress } from '../decision/parse-address.js';
import type { Viewer } from '../decision/viewer.js';
import { ExternalTokens, queryToken } from '../ext-auth/external-tokens.js';
import { FileAdmission } from '../pages/file-admission.js';
import { ViewerPasses } from './viewer-passes.js';

/** What a request tells of its viewer. Only what the policy asks for is looked up. */
@Injectable()
export class Viewers {
  constructor(
    private readonly authenticators: CallerAuthenticators,
    private readonly authorizations: AuthorizationsService,
    private readonly externalTokens: ExternalTokens,
    private readonly passes: ViewerPasses,
    private readonly admission: FileAdmission,
  ) {}

  async read(request: Request, link: EmbedLink, policy: CompiledPolicy): Promise<Viewer> {
    const { host, clientAddress } = request.context;
    const [token, session, extAuthAccessKey, hasPass] = await Promise.all([
      policy.auth || policy.oauth ? this.caller(request, ['bearer']) : null,
      policy.auth || policy.oauth?.bySession ? this.caller(request, ['session', 'framed_session']) : null,
      policy.extAuth ? this.externalTokens.accessKeyOf(request, link) : null,
      policy.auth && this.passes.admits(queryToken(request.query.auth), link, clientAddress),
    ]);
    const { admission } = request.query;
    return {
      address: parseAddress(clientAddress),
      referer: request.headers.referer ?? request.headers.origin ?? null,
      fromPlayer: typeof admission === 'string' && this.admission.admits(admission, link.link, clientAddress),
      host,
      userOfCustomer: hasPass || [token, session].some((caller) => caller !== null && isUserOf(link, caller)),
      sessionUserId: session && isUserOf(link, session) ? session.userId : null,
      tokenClientId: token?.clientId ?? null,
      sessionClientId: await this.authorizedClient(session, policy),
      extAuthAccessKey,
    };
  }

  /** Null also for credentials that are not good: they count as none. Senders of a dropsite proved nothing but an address. */
  private async caller(request: Request, methods: readonly Caller['method'][]): Promise<Caller | null> {
    try {
      const caller = await this.authenticators.authenticate(request, request.res as Response, new Set(methods));
      return caller && (isSession(caller) || !caller.scopes.has(DROPSITE_SCOPE)) ? caller : null;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return null;
      throw error;
    }
  }

  private async authorizedClient(session: Caller | null, { oauth }: CompiledPolicy): Promise<string | null> {
    if (!session || !oauth?.bySession) return null;
    return (await this.authorizations.exists(session.userId, oauth.clientId)) ? oauth.clientId : null;
  }
}

/** A token that may not even read the API does not stand for its user here either. */
const isUserOf = ({ customerId }: EmbedLink, { customerId: own, scopes }: Caller): boolean =>
  own === customerId && (scopes.has('api') || scopes.has('api:read'));
