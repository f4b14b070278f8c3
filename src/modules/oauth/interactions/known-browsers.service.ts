import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { appendCookie, cookieValues, hostPrefix } from '../../../shared/http/index.js';
import { SecretBoxService, sha256 } from '../../../shared/secrets/index.js';
import type { User } from '../../accounts/index.js';

const NAME = 'known_browser';
const PURPOSE = 'known browser';
const LIFETIME_SECONDS = 365 * 86_400;

/** The account that signed in with a browser. */
type Account = Pick<User, 'id' | 'passwordHash'>;

/** No user has this id; unknown addresses cost the same computation as known ones. */
const NO_ACCOUNT: Account = { id: 0, passwordHash: null };

/**
 * Marks browsers from which an account signed in (the "device cookies" of OWASP), so that the owner's attempts are counted separately from
 * those of strangers at the same account. A mark ends with the password: a browser of the time before, perhaps of a thief, is a stranger.
 */
@Injectable()
export class KnownBrowsersService {
  constructor(
    private readonly config: Config,
    private readonly secrets: SecretBoxService,
  ) {}

  /** Returns an identifier of the browser for this account, or null if the account has not signed in with it since its password was set. */
  recognise(request: IncomingMessage, account: Account | null): string | null {
    let known: string | null = null;
    for (const value of cookieValues(request.headers.cookie, this.cookie)) {
      const [nonce = '', mac = ''] = value.split('.', 2);
      if (this.isOurs(mac, account ?? NO_ACCOUNT, nonce) && nonce && account) known ??= sha256(nonce);
    }
    return known;
  }

  remember(response: ServerResponse, account: Account, nonce: string): void {
    const secure = this.config.publicUrl.startsWith('https:');
    const path = secure ? '/' : '/v4/interaction'; // __Host- requires the path /
    const value = `${nonce}.${this.macOf(account, nonce)}`;
    appendCookie(response, { name: this.cookie, value, path, maxAgeSeconds: LIFETIME_SECONDS, secure });
  }

  private get cookie(): string {
    return `${hostPrefix(this.config.publicUrl)}${NAME}`;
  }

  private macOf(account: Account, nonce: string): string {
    return this.secrets.mac(PURPOSE, markOf(account, nonce)).toString('base64url');
  }

  private isOurs(mac: string, account: Account, nonce: string): boolean {
    return this.secrets.isMac(mac, { purpose: PURPOSE, value: markOf(account, nonce), encoding: 'base64url' });
  }
}

const markOf = ({ id, passwordHash }: Account, nonce: string): string => JSON.stringify([id, sha256(passwordHash ?? ''), nonce]);
