import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { canonicalEmail } from '../../../shared/email-address.js';
import { appendCookie, cookieValues, hostPrefix } from '../../../shared/http/index.js';
import { SecretBoxService, sha256 } from '../../../shared/secrets/index.js';

const NAME = 'known_browser';
const PURPOSE = 'known browser';
const LIFETIME_SECONDS = 365 * 86_400;

/**
 * Marks browsers from which an account signed in (the "device cookies" of OWASP), so that the owner's attempts are counted separately from
 * those of strangers at the same account.
 */
@Injectable()
export class KnownBrowsersService {
  constructor(
    private readonly config: Config,
    private readonly secrets: SecretBoxService,
  ) {}

  /** Returns an identifier of the browser for this account, or null if the account never signed in with it. */
  recognise(request: IncomingMessage, email: string): string | null {
    for (const value of cookieValues(request.headers.cookie, this.cookie)) {
      const [nonce = '', mac = ''] = value.split('.', 2);
      if (nonce && this.isOurs(mac, email, nonce)) return sha256(nonce);
    }
    return null;
  }

  remember(response: ServerResponse, email: string, nonce: string): void {
    const secure = this.config.publicUrl.startsWith('https:');
    const path = secure ? '/' : '/v4/interaction'; // __Host- requires the path /
    const value = `${nonce}.${this.macOf(email, nonce)}`;
    appendCookie(response, { name: this.cookie, value, path, maxAgeSeconds: LIFETIME_SECONDS, secure });
  }

  private get cookie(): string {
    return `${hostPrefix(this.config.publicUrl)}${NAME}`;
  }

  private macOf(email: string, nonce: string): string {
    return this.secrets.mac(PURPOSE, markOf(email, nonce)).toString('base64url');
  }

  private isOurs(mac: string, email: string, nonce: string): boolean {
    return this.secrets.isMac(mac, { purpose: PURPOSE, value: markOf(email, nonce), encoding: 'base64url' });
  }
}

const markOf = (email: string, nonce: string): string => JSON.stringify([canonicalEmail(email), nonce]);
