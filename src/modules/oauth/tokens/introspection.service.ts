import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { bearerToken } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { methodNotAllowed, type Step, sendJson } from '../../../shared/http/index.js';
import { type AccessTokenClaims, TokenStatesService, TokenVerifierService } from '../../access/index.js';
import type { Principal } from '../../accounts/index.js';
import { ClientsService } from '../clients/clients.service.js';
import type { IntrospectionResponse } from '../protocol.dto.js';
import { deviceHeader, isAudience } from '../provider/authorize-request.js';
import { basicCredentials, type FormBody, readForm, single, UnreadableBody } from './form-request.js';

const INACTIVE = { active: false } as const;

/** The requesting client. An authenticated confidential client may ask about any token, others only about tokens of the named client. */
interface Asker {
  readonly clientId: string;
  readonly anyToken: boolean;
}

/**
 * Answers POST /v4/introspect (RFC 7662). It runs before Nest, because other services call it for each of their requests, and it always returns
 * 200: an invalid request reports the token as inactive.
 */
@Injectable()
export class IntrospectionService {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientsService,
    private readonly verifier: TokenVerifierService,
    private readonly states: TokenStatesService,
  ) {}

  readonly step: Step = (request, response, next) => {
    if (!/^\/v4\/introspect\/?(\?|$)/.test(request.url ?? '')) return next();
    if (request.method !== 'POST') return next(methodNotAllowed(['POST']));
    this.answer(request).then(
      (body) => this.send(response, body),
      (error: unknown) => {
        if (!(error instanceof UnreadableBody)) return next(error);
        this.send(response, INACTIVE);
      },
    );
  };

  private send(response: ServerResponse, body: IntrospectionResponse | typeof INACTIVE): void {
    response.setHeader('cache-control', 'no-store');
    sendJson(response, 200, body);
  }

  private async answer(request: IncomingMessage): Promise<IntrospectionResponse | typeof INACTIVE> {
    const body = await readForm(request);
    const token = single(body, 'token') ?? bearerToken(request);
    if (!token) return INACTIVE;
    const asker = await this.asker(request, body);
    const verification = await this.verifier.verify(token);
    if (!asker || 'refused' in verification) return INACTIVE;
    const { claims } = verification;
    if (!asker.anyToken && asker.clientId !== claims.clientId) return INACTIVE;
    if (!this.isForAudience(claims, body.resource)) return INACTIVE;
    const state = await this.states.find(claims);
    return state ? this.describe(claims, state.principal) : INACTIVE;
  }

  private async asker(request: IncomingMessage, body: FormBody): Promise<Asker | null> {
    const bearer = bearerToken(request);
    if (bearer) return await this.askerByToken(bearer, deviceHeader(request.headers, this.config.headerPrefixes));
    const clientId = single(body, 'client_id') ?? single(body, 'clientId');
    const secret = single(body, 'client_secret');
    const credentials = basicCredentials(request) ?? (clientId && secret ? { clientId, secret } : null);
    if (credentials) {
      const client = await this.clients.authenticate(credentials.clientId, credentials.secret);
      return client ? { clientId: client.clientId, anyToken: true } : null;
    }
    const client = clientId ? await this.clients.find(clientId) : null;
    return client && !client.secretHash ? { clientId: client.clientId, anyToken: false } : null;
  }

  /** Authenticates the requesting client by a token; a token bound to a device requires the device, as in any other request. */
  private async askerByToken(bearer: string, device: string | undefined): Promise<Asker | null> {
    const verification = await this.verifier.verify(bearer);
    const state = 'claims' in verification ? await this.states.find(verification.claims) : null;
    if ('refused' in verification || !state || (state.device !== null && state.device !== device)) return null;
    return { clientId: verification.claims.clientId, anyToken: false };
  }

  /** Whether a token is for the audience that is asked for; if none is, for this service or one of RESOURCES. An empty or legacy `resource` asks for none. */
  private isForAudience({ audience }: AccessTokenClaims, resource: unknown): boolean {
    if (Array.isArray(resource)) return false; // of several audiences, one may not be ours
    if (typeof resource === 'string' && isAudience(resource, this.config.resources)) return audience.includes(resource);
    return audience.some((one) => one === this.config.publicUrl || this.config.resources.includes(one));
  }

  private describe(claims: AccessTokenClaims, principal: Principal): IntrospectionResponse {
    const { id, email, customerId } = principal;
    // Anyone who knows a sender's address can get a token for it, but must not learn the sender's name.
    const { firstname, lastname } = principal.kind === 'sender' ? { firstname: '', lastname: '' } : principal;
    return {
      active: true,
      client_id: claims.clientId,
      exp: claims.expiresAt,
      token_type: 'bearer',
      iat: claims.issuedAt,
      iss: this.config.publicUrl,
      sub: String(claims.userId),
      aud: claims.audience.length === 1 ? (claims.audience[0] ?? '') : [...claims.audience],
      jti: claims.jti,
      scope: claims.scope,
      'ac:session': {
        user: { id, firstname, lastname, email, customerId },
        customer: { id: customerId },
        ...describeAuthentication(claims),
      },
    };
  }
}

const describeAuthentication = ({ authentication: { acr, amr } }: AccessTokenClaims) => ({
  ...(amr && { amr: [...amr] }),
  ...(acr && { acr }),
});
