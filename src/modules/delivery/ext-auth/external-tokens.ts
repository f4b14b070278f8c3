import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { bearerToken } from '../../../shared/auth/index.js';
import { equalInConstantTime, SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { AccessKeys, Principals } from '../../accounts/index.js';
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
    private readonly accessKeys: AccessKeys,
    private readonly principals: Principals,
    private readonly clock: Clock,
  ) {}

  issue({ link }: Pick<EmbedLink, 'link'>, accessKey: string): string {
    const expiresAt = this.seconds() + EXTERNAL_TOKEN_TTL_SECONDS;
    const key = Buffer.from(accessKey).toString('base64url');
    return `${expiresAt}.${key}.${this.mac(link, accessKey, expiresAt)}`;
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
    const isOurs = equalInConstantTime(mac, this.mac(link, accessKey, Number(expiry)));
    return isOurs && Number(expiry) > this.seconds() ? accessKey : null;
  }

  /** A key that is gone, or whose user may not act any more, vouches for nobody. */
  private async isAlive(accessKey: string, { customerId }: EmbedLink): Promise<boolean> {
    const key = await this.accessKeys.find(accessKey);
    const user = key && (await this.principals.find(key.userId));
    return user?.customerId === customerId;
  }

  private mac(link: string, accessKey: string, expiresAt: number): string {
    return this.secrets.mac(PURPOSE, JSON.stringify([link, accessKey, expiresAt])).toString('base64url');
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}

/** What stands behind the last colon; base64 and base64url are both read. */
function queryToken(auth: unknown): string | null {
  if (typeof auth !== 'string' || auth === '') return null;
  const text = Buffer.from(auth.replaceAll(' ', '+'), 'base64').toString(); // a plus that nobody escaped arrives as a space
  return text.includes(':') ? text.slice(text.lastIndexOf(':') + 1) : null;
}
