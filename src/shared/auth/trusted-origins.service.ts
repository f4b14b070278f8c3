import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { defineErrors } from '../errors.js';
import { ClientDirectory } from './client-directory.port.js';
import { isOwnForm } from './origin-rules.js';

const errors = defineErrors({
  origin_not_allowed: {
    kind: 'forbidden',
    meaning:
      'A request with a session cookie, or a form of a page of the service, came from a page of another origin. Call from a page of the service itself; with a session cookie also from one of CORS_ORIGINS, and Request Code from one of a registered client.',
  },
});

/** The origins that may send requests with credentials: this service, CORS_ORIGINS, and registered clients. */
@Injectable()
export class TrustedOriginsService {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientDirectory,
  ) {}

  async isTrusted(origin: string): Promise<boolean> {
    return this.isOwn(origin) || (await this.clients.isRegisteredOrigin(origin));
  }

  /**
   * Guards a request with a session cookie against cross-site request forgery. Only pages of this service may send one, because the browser sends
   * the cookie with requests of every page of the same site, even on another port. `registered` also accepts pages of registered clients.
   * @throws DomainError 403 `origin_not_allowed`
   */
  async check(request: IncomingMessage, { registered = false } = {}): Promise<void> {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isUnknown = !origin || origin === 'null'; // a page with a strict referrer policy
    if (isUnknown ? site === 'same-origin' : this.isOwn(origin) || (registered && (await this.isTrusted(origin)))) return;
    throw errors.origin_not_allowed('A request with the session cookie must come from a page of this service.');
  }

  /**
   * Refuses a form of a page that people see (sign-in, consent, account, sign-out) unless a page of this service sent it: another origin of the same
   * site, such as another port, can send a form with the cookies. Programs that fill in such forms send `Origin` like a browser.
   * @throws DomainError 403 `origin_not_allowed`
   */
  checkForm({ method = '', url = '', headers: { origin, 'sec-fetch-site': site } }: IncomingMessage): void {
    if (!isOwnForm(method, url)) return;
    if (site === undefined ? origin === this.config.publicUrl : site === 'same-origin') return;
    throw errors.origin_not_allowed('This form was not sent by a page of this service, so it had no effect.');
  }

  /** Whether the browser says that a page of another origin sent the request. Programs send neither of the two headers. */
  isForeign({ headers: { origin, 'sec-fetch-site': site } }: IncomingMessage): boolean {
    return site === 'cross-site' || site === 'same-site' || (origin !== undefined && origin !== 'null' && !this.isOwn(origin));
  }

  private isOwn(origin: string): boolean {
    return origin === this.config.publicUrl || this.config.corsOrigins.includes(origin);
  }
}
