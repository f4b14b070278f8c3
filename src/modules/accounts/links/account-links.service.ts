import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { accountsErrors } from '../accounts.errors.js';
import type { AccountLink, LinkPurpose } from './account-link.entity.js';
import { AccountLinksRepository } from './account-links.repository.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** How long a link is valid, in milliseconds. */
const LINK_LIFETIME_MS: Readonly<Record<LinkPurpose, number>> = {
  reset: 30 * MINUTE_MS, // the person has just asked for it
  email: 30 * MINUTE_MS, // as a reset
  invitation: 7 * DAY_MS, // the person does not expect it and may be on holiday
  'not-me': 7 * DAY_MS, // as an invitation
  'factor-reset': DAY_MS, // an administrator has just spoken with the person
};

const TOKEN_BYTES = 32; // 256 bits cannot be guessed
/** The token at the end of a link, or alone. */
const TOKEN = /(?:^|#)([\w-]{43})$/;

/** What a link is about, beside its purpose. */
export type LinkDetails = Partial<Pick<AccountLink, 'email' | 'secondFactorId' | 'createdAt'>>;

/** A new link and the means to take it back if its mail cannot be sent. */
export interface NewLink {
  /** The address for the mail. */
  readonly url: string;
  discard(): Promise<void>;
}

/**
 * Creates and uses the links that are mailed to users. The token is the fragment of the address, which browsers send to no server: it occurs in no
 * log, metric, proxy or Referer header (RFC 3986 section 3.5). The page `/account/link` posts it.
 */
@Injectable()
export class AccountLinksService {
  constructor(
    private readonly config: Config,
    private readonly links: AccountLinksRepository,
    private readonly clock: Clock,
  ) {}

  /** Creates a link. Call it where the mail is sent, because the token must not be stored with a job. */
  async create(userId: number, purpose: LinkPurpose, details: LinkDetails = {}): Promise<NewLink> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const tokenHash = sha256(token);
    const expiresAt = new Date(this.clock.now().getTime() + LINK_LIFETIME_MS[purpose]);
    await this.links.insert({ ...details, tokenHash, userId, purpose, expiresAt });
    return {
      url: `${this.config.publicUrl}/account/link#${token}`,
      discard: async () => await this.links.deleteByToken(tokenHash),
    };
  }

  /** Finds the link with this token, which stays good; null if it was used, has expired, or has another purpose than `purpose`. */
  async find(token: string, purpose?: LinkPurpose): Promise<AccountLink | null> {
    const link = await this.links.findOpen(sha256(token), this.clock.now());
    return link && (purpose === undefined || link.purpose === purpose) ? link : null;
  }

  /**
   * Uses up a link. Call it in the transaction of what the link is for: of several concurrent calls one succeeds, and if the transaction fails, the link
   * stays good.
   * @throws DomainError 410 `account_link_expired`
   */
  async use(token: string, purpose: LinkPurpose): Promise<AccountLink> {
    const link = await this.find(token, purpose);
    if (link && (await this.links.markUsed(link.id, this.clock.now()))) return link;
    throw accountsErrors.account_link_expired('This link was used already, or it has expired. Ask for a new one.');
  }

  /** Withdraws the links of a user that are still good, for example other resets after one has succeeded. */
  async withdraw(userId: number, purposes: readonly LinkPurpose[]): Promise<void> {
    await this.links.markWithdrawn(userId, purposes, this.clock.now());
  }

  /** Withdraws every link of a user, whatever it is for. */
  async withdrawAll(userId: number): Promise<void> {
    await this.links.markAllWithdrawn(userId, this.clock.now());
  }

  /** Withdraws the links of notices about changes that were made at `since` or later. */
  async withdrawNotices(userId: number, since: Date): Promise<void> {
    await this.links.markNoticesWithdrawn(userId, since, this.clock.now());
  }

  /**
   * Whether a denial has ended the links of this purpose that were requested at `at`: for notices the denial of a change that was not made later, for
   * others any later one.
   */
  async wasDenied(userId: number, purpose: LinkPurpose, at: Date): Promise<boolean> {
    return await this.links.existsDenial(userId, { since: at, ofChangesUntil: purpose === 'not-me' ? at : null });
  }

  /** The number of links of this purpose that were mailed to the user within the last `seconds`. */
  async countRecent(userId: number, purpose: LinkPurpose, seconds: number): Promise<number> {
    return await this.links.countSince(userId, purpose, new Date(this.clock.now().getTime() - seconds * 1_000));
  }
}

/** The token of a link, or of a token alone, as a person pastes it; null for other texts. */
export const tokenOfLink = (text: string): string | null => TOKEN.exec(text.trim())?.[1] ?? null;
