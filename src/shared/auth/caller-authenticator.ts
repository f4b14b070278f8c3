import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from './caller.js';

/** A way to prove who is calling. Upper modules fulfil it and register with CallerAuthenticators. */
export interface CallerAuthenticator {
  readonly method: Caller['method'];
  /** The caller; null when the request carries no credentials of this kind. Throws DomainError `unauthenticated` for bad ones. */
  authenticate(request: IncomingMessage, response: ServerResponse): Promise<Caller | null>;
}

/** The registered ways in, asked in the order of their registration. */
@Injectable()
export class CallerAuthenticators {
  private readonly all: CallerAuthenticator[] = [];

  register(authenticator: CallerAuthenticator): void {
    this.all.push(authenticator);
  }

  /** The caller by the first of the allowed methods whose credentials the request carries; else null. */
  async authenticate(request: IncomingMessage, response: ServerResponse, methods: ReadonlySet<Caller['method']>): Promise<Caller | null> {
    for (const authenticator of this.all) {
      if (!methods.has(authenticator.method)) continue;
      const caller = await authenticator.authenticate(request, response);
      if (caller) return caller;
    }
    return null;
  }
}
