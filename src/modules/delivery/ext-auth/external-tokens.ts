import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { bearerToken } from '../../../shared/auth/index.js';
import { SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { AccessKeysService, PrincipalsService } from '../../accounts/index.js';
import type { EmbedLink } from '../../player-configurations/index.js';

const PURPOSE = 'external authentication of viewers';
const TOKEN = /^(\d{1,12})\.([\w-]+)\.([\w-]{43})$/;

/** As long as a film with a pause; the key can be taken back at any moment. */
export const EXTERNAL_TOKEN_TTL_SECONDS = 4 * 3600;

/** Tokens by which another server vouches for a viewer of one link: `<expiry>.<access key>.<HMAC>`. Nothing is stored. */
@Injectable()
export class ExternalTokens {
  constructor(
    private readonly secrets: SecretBox,
    private readonly accessKeys: AccessKeysService,
    private readonly principals: PrincipalsService,
    private readonly clock: Clock,
  ) {}

  issue({ link }: Pick<EmbedLink, 'link'>, accessKey: string): string {
    const expiresAt = this.seconds() + EXTERNAL_TOKEN_TTL_SECONDS;
    const key = Buffer.from(accessKey).toString('base64url');
    const mac = this.secrets.mac(PURPOSE, statement(link, accessKey, expiresAt)).toString('base64url');
    return `${expiresAt}.${key}.${mac}`;
  }

  /**
   * The access key that made a token for this link which the request carries, `?auth=` base64(`<anything>:<token>`) or as bearer; null: it
   * carries none that counts. Whether the configuration allows the key is for the policy to say.
   */
  async accessKeyOf(request: Request, link: EmbedLink): Promise<string | null> {
    for (const token of [queryToken(request.query.auth), bearerToken(request)]) {
      const accessKey = token === null ? null : this.verify(token, link);
      if (accessKey !== null && (await this.isAlive(accessKey, link))) return accessKey;
    }
    return null;
  }

  private verify(token: string, { link }: EmbedLink): string | null {
    const [, expiry, key = '', mac = ''] = TOKEN.exec(token) ?? [];
    if (expiry === undefined) return null;
    const accessKey = Buffer.from(key, 'base64url').toString();
    const value = statement(link, accessKey, Number(expiry));
    const isOurs = this.secrets.isMac(mac, { purpose: PURPOSE, value, encoding: 'base64url' });
    return isOurs && Number(expiry) > this.seconds() ? accessKey : null;
  }

  /** A key that is gone, or whose user may not act any more, vouches for no viewer. */
  private async isAlive(accessKey: string, { customerId }: EmbedLink): Promise<boolean> {
    const key = await this.accessKeys.find(accessKey);
    const user = key && (await this.principals.find(key.userId));
    return user?.customerId === customerId;
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}

/** What the HMAC is made of. */
const statement = (link: string, accessKey: string, expiresAt: number): string => JSON.stringify([link, accessKey, expiresAt]);

/** The token of the query parameter `auth`: what follows the last colon; base64 and base64url are both read. */
export function queryToken(auth: unknown): string | null {
  if (typeof auth !== 'string' || auth === '') return null;
  const text = Buffer.from(auth.replaceAll(' ', '+'), 'base64').toString(); // a plus that was not escaped arrives as a space
  return text.includes(':') ? text.slice(text.lastIndexOf(':') + 1) : null;
}
