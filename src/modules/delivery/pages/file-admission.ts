import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';

const PURPOSE = 'delivery file admission';
/** A page that is left open over a working day still plays. */
const TTL_SECONDS = 12 * 3_600;
/** Admissions of one hour are equal, so that a page that is loaded again finds its files in the browser's cache. */
const ROUND_SECONDS = 3_600;

/**
 * A player page was let in because of the page around it; its own requests for files name the player page as referer. So it hands out an
 * admission: who carries it passes the rule `matchReferer`, for this link and from this address, and no other rule.
 */
@Injectable()
export class FileAdmission {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** For a viewer who was let in. */
  issue(link: string, address: string): string {
    const expires = Math.ceil((this.now() + TTL_SECONDS) / ROUND_SECONDS) * ROUND_SECONDS;
    return `${expires}.${this.secrets.mac(PURPOSE, statement(link, address, expires)).toString('base64url')}`;
  }

  admits(token: string, link: string, address: string): boolean {
    const [, expires = '', mac = ''] = /^(\d{1,12})\.([\w-]+)$/.exec(token) ?? [];
    const value = statement(link, address, Number(expires));
    return this.secrets.isMac(mac, { purpose: PURPOSE, value, encoding: 'base64url' }) && Number(expires) > this.now();
  }

  private now(): number {
    return this.clock.now().getTime() / 1_000;
  }
}

/** What the HMAC is made of. */
const statement = (link: string, address: string, expires: number): string => JSON.stringify([link.toLowerCase(), address, expires]);
