import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { defineErrors } from '../errors/index.js';

const errors = defineErrors({
  origin_not_allowed: {
    kind: 'forbidden',
    meaning:
      'A request with a session cookie came from a page of another origin; call from the service itself or from a registered client.',
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
    if (origin === this.config.publicUrl || this.config.corsOrigins.includes(origin)) return true;
    return (await this.source?.isRegistered(origin)) ?? false;
  }

  /** Guards a cookie-authenticated change against cross-site request forgery. Throws 403 `origin_not_allowed`. */
  async check(request: IncomingMessage): Promise<void> {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isUntold = !origin || origin === 'null'; // a page with a strict referrer policy does not tell
    if (!isUntold && (await this.isTrusted(origin))) return;
    if (isUntold && (site === 'same-origin' || site === 'same-site')) return;
    throw errors.origin_not_allowed('A request with the session cookie needs an Origin header of this service or of a registered client.');
  }
}
