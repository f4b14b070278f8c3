import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, type CallerAuthenticator, CallerAuthenticators } from '../../../shared/auth/index.js';
import { SignedRequests } from './signed-requests.js';

/** A signed request as a way to prove who is calling. It runs after routing, so that the path parameters are known. */
@Injectable()
export class SignatureAuthenticator implements CallerAuthenticator, OnModuleInit {
  readonly method = 'signature';

  constructor(
    private readonly signatures: SignedRequests,
    private readonly authenticators: CallerAuthenticators,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  async isAnnounced(request: IncomingMessage): Promise<boolean> {
    return this.signatures.isSigned(request) && (await this.signatures.announce(request));
  }

  async authenticate(request: Request): Promise<Caller | null> {
    if (!this.signatures.isSigned(request)) return null;
    const { method, originalUrl: path, params, query, body } = request;
    const { user, accessKey, clientId } = await this.signatures.verify(request, { method, path, params, query, body });
    const { id: userId, customerId, adminLevel, email } = user;
    return {
      userId,
      customerId,
      adminLevel,
      email,
      method: 'signature',
      accessKey,
      clientId,
      authorizationId: null,
      token: null,
      supportUserId: null,
      scopes: new Set(['api']),
    };
  }
}
