import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { defineErrors } from '../errors/index.js';

const errors = defineErrors({
  origin_not_allowed: {
    kind: 'forbidden',
    meaning:
      'A request with a session cookie came from a page of another origin. Call from the service itself or from CORS_ORIGINS; Request Code may be called from a registered client too.',
  },
});

/** Where clients live; the oauth module fulfils it with the origins of the registered redirect URIs. */
export interface OriginSource {
  isRegistered(origin: string): Promise<boolean>;
}

/** Which origins may call with credentials: our own, CORS_ORIGINS, and those of the registered clients. */
@Injectable()
export class TrustedOrigins {
  private source: OriginSource | null = null;

  constructor(private readonly config: Config) {}

  fulfil(source: OriginSource): void {
    this.source = source;
  }

  async isTrusted(origin: string): Promise<boolean> {
    if (this.isOwn(origin)) return true;
    return (await this.source?.isRegistered(origin)) ?? false;
  }

  /**
   * Guards a request with a session cookie against cross-site request forgery. Only our own pages may send one, because every page of the
   * same site sends the cookie too, also that of another port; `registered` lets in pages of registered clients, which name their origin.
   * @throws DomainError 403 `origin_not_allowed`
   */
  async check(request: IncomingMessage, { registered = false } = {}): Promise<void> {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isUntold = !origin || origin === 'null'; // a page with a strict referrer policy does not tell
    if (isUntold ? site === 'same-origin' : this.isOwn(origin) || (registered && (await this.isTrusted(origin)))) return;
    throw errors.origin_not_allowed('A request with the session cookie must come from a page of this service.');
  }

  private isOwn(origin: string): boolean {
    return origin === this.config.publicUrl || this.config.corsOrigins.includes(origin);
  }
}
