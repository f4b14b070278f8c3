import { Injectable } from '@nestjs/common';
import { equalInConstantTime, SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import type { EmbedLink } from '../../player-configurations/index.js';

const PURPOSE = 'pass of a signed-in viewer';
const TOKEN = /^viewer\.(\d{1,12})\.(\d{1,10})\.([\w-]{43})$/;
/** As long as a token of POST /v5/extAuth: a film with a pause. */
const TTL_SECONDS = 4 * 3_600;

/**
 * Cookies of a login session do not reach a frame in a page of another site, so the window in which a viewer signed in hands the frame a pass:
 * `viewer.<expiry>.<user>.<HMAC>`, for one link and the address that it was made for. Nothing is stored.
 */
@Injectable()
export class ViewerPasses {
  constructor(
    private readonly secrets: SecretBox,
    private readonly principals: PrincipalsService,
    private readonly clock: Clock,
  ) {}

  /** For a user of the customer, in the form of the query parameter `auth`. */
  issue({ link }: Pick<EmbedLink, 'link'>, userId: number, address: string): string {
    const expiresAt = this.seconds() + TTL_SECONDS;
    const token = `viewer.${expiresAt}.${userId}.${this.mac(link, [address, userId, expiresAt])}`;
    return Buffer.from(`:${token}`).toString('base64url');
  }

  /** Whether a token is the pass of a user who may still act for the customer of the link. */
  async admits(token: string | null, { link, customerId }: EmbedLink, address: string): Promise<boolean> {
    const [, expiry, id, mac = ''] = TOKEN.exec(token ?? '') ?? [];
    if (expiry === undefined || Number(expiry) <= this.seconds()) return false;
    if (!equalInConstantTime(mac, this.mac(link, [address, Number(id), Number(expiry)]))) return false;
    return (await this.principals.find(Number(id)))?.customerId === customerId;
  }

  private mac(link: string, parts: readonly (string | number)[]): string {
    return this.secrets.mac(PURPOSE, JSON.stringify([link.toLowerCase(), ...parts])).toString('base64url');
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}
