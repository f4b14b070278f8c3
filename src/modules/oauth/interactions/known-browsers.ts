import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { SecretBox, sha256 } from '../../../shared/secrets/index.js';
import { hostPrefix } from '../frames/framed-cookies.js';

const NAME = 'known_browser';
const PURPOSE = 'known browser';
const LIFETIME_SECONDS = 365 * 86_400;

/**
 * Marks a browser from which an account signed in (a "device cookie" of the OWASP guide on slowing down guesses), so that the owner's
 * tries are counted apart from those of strangers who try the same account.
 */
@Injectable()
export class KnownBrowsers {
  constructor(
    private readonly config: Config,
    private readonly secrets: SecretBox,
  ) {}

  /** A name of the browser for this account, or null when it never signed in here. */
  recognise(request: IncomingMessage, email: string): string | null {
    for (const part of (request.headers.cookie ?? '').split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      const [nonce = '', mac = ''] = value.split('.', 2);
      if (name === this.cookie && nonce && this.isOurs(mac, email, nonce)) return sha256(nonce);
    }
    return null;
  }

  remember(response: ServerResponse, email: string, nonce: string): void {
    const secure = this.config.publicUrl.startsWith('https:') ? '; Secure' : '';
    const path = secure ? '/' : '/v4/interaction'; // __Host- wants all paths
    const attributes = `Max-Age=${LIFETIME_SECONDS}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
    response.appendHeader('set-cookie', `${this.cookie}=${nonce}.${this.macOf(email, nonce)}; ${attributes}`);
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

const markOf = (email: string, nonce: string): string => JSON.stringify([email.toLowerCase(), nonce]);
