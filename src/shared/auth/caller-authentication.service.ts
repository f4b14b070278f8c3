import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from './caller.js';

/** A method of authenticating callers. Upper modules implement it and register with CallerAuthenticationService. */
export interface CallerAuthenticator {
  readonly method: Caller['method'];
  /** Returns the caller; null if the request carries no credentials of this kind. Rejects with DomainError `unauthenticated` for bad credentials. */
  authenticate(request: IncomingMessage, response: ServerResponse): Promise<Caller | null> | null;
  /**
   * For an authenticator that needs the body: whether the headers carry valid credentials, so that the body is worth reading. Throws like
   * `authenticate` if they do not.
   */
  isAnnounced?(request: IncomingMessage): Promise<boolean>;
}

/** The registered authenticators, called in the order of their registration. */
@Injectable()
export class CallerAuthenticationService {
  private readonly all: CallerAuthenticator[] = [];
  /** The results for each request: each authenticator is called once, before the body is read. */
  private readonly answers = new WeakMap<IncomingMessage, Map<CallerAuthenticator, Promise<Caller | null> | null>>();

  register(authenticator: CallerAuthenticator): void {
    this.all.push(authenticator);
  }

  /** The caller according to the first allowed method whose credentials the request carries; otherwise null. */
  async authenticate(request: IncomingMessage, response: ServerResponse, methods: ReadonlySet<Caller['method']>): Promise<Caller | null> {
    for (const authenticator of this.all) {
      if (!methods.has(authenticator.method)) continue;
      const answer = this.ask(authenticator, request, response);
      const caller = answer && (await answer);
      if (caller) return caller;
    }
    return null;
  }

  /** Whether the headers carry credentials that only the body can prove. Throws DomainError `unauthenticated` for bad ones. */
  async areAnnounced(request: IncomingMessage): Promise<boolean> {
    for (const authenticator of this.all) if (await authenticator.isAnnounced?.(request)) return true;
    return false;
  }

  private ask(authenticator: CallerAuthenticator, request: IncomingMessage, response: ServerResponse): Promise<Caller | null> | null {
    const answers = this.answers.get(request) ?? new Map<CallerAuthenticator, Promise<Caller | null> | null>();
    this.answers.set(request, answers);
    const known = answers.get(authenticator);
    if (known !== undefined) return known;
    const answer = authenticator.authenticate(request, response);
    answers.set(authenticator, answer);
    return answer;
  }
}
