import { Injectable } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { RateLimiter } from '../../../shared/http/index.js';
import { Clock } from '../../../shared/time/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import { type CheckedItem, type UploadDocument, UploadPreparation } from '../../uploads/index.js';
import type { Dropsite } from '../dropsite.entity.js';
import { DropsiteEntrance } from '../dropsite-entrance.js';
import { dropsiteErrors } from '../dropsites.errors.js';
import type { Visitor } from '../visitor.js';
import { mayUploadFor, type NamedCreator } from './choose-creator.js';
import { DropsiteCharges, jsonBytes } from './dropsite-charges.js';
import { type Amount, DropsiteUsageRepository } from './dropsite-usage.repository.js';
import { secondsUntilNextDay } from './seconds-until-next-day.js';

export interface DropsiteUpload {
  readonly link: string;
  readonly uploadId?: string;
  readonly payload: readonly unknown[];
  readonly wait: boolean;
  readonly creator: NamedCreator | null;
  readonly password?: string;
}

/** Prepares what senders upload. */
@Injectable()
export class DropsiteUploads {
  constructor(
    private readonly entrance: DropsiteEntrance,
    private readonly preparation: UploadPreparation,
    private readonly principals: PrincipalsService,
    private readonly usage: DropsiteUsageRepository,
    private readonly charges: DropsiteCharges,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /**
   * A batch of the sender at the link; again it answers the same with fresh credentials. Throws what the entrance throws, `session_required`,
   * `insufficient_scope`, `creator_not_allowed`, `dropsite_limit_reached`, `quota_exceeded`, `rate_limited` for too many refused items, and what a preparation throws.
   */
  async create(visitor: Visitor, { link, uploadId, payload, wait, creator, password }: DropsiteUpload): Promise<UploadDocument> {
    const dropsite = await this.entrance.enter(link, visitor);
    await this.letIn(visitor, dropsite, password);
    const { id: dropsiteId, customerId, clientId } = dropsite;
    const creatorId = creator ? await this.checkCreator(creator, visitor, dropsite) : dropsite.ownerId;
    const isAnonymous = visitor.caller === null || visitor.caller.scopes.has(DROPSITE_SCOPE); // an address that somebody gives proves nothing
    const bytesOf = (items: readonly CheckedItem[]) => (isAnonymous ? storedBytes(payload, items) : 0);
    return await this.preparation.prepare({
      owner: { customerId, creatorId, userId: visitor.caller?.userId ?? null, clientId, dropsiteId, sessionId: sessionOf(visitor) },
      uploadId,
      payload,
      wait,
      refuse: (item) => findTypeProblem(item, dropsite),
      precheck: async (items, refused) => {
        await this.expectRoom(dropsite, items, bytesOf(items));
        if (refused > 0) await this.limiter.charge('refused', senderKey(visitor), refused, 'refused items');
      },
      admit: async (items) => await this.admit(dropsite, items, bytesOf(items)),
    });
  }

  private async letIn(visitor: Visitor, dropsite: Dropsite, password: string | undefined): Promise<void> {
    const { caller } = visitor;
    const isSession = caller?.scopes.has(DROPSITE_SCOPE) ?? false;
    if (isSession && caller?.clientId !== dropsite.clientId) {
      throw generalErrors.insufficient_scope('The session is one of another dropsite; it uploads to the link that it was made for.');
    }
    const isKnown = isSession || caller?.customerId === dropsite.customerId;
    if (!dropsite.allowAnonymous && !isKnown) {
      throw dropsiteErrors.session_required('This dropsite accepts no anonymous senders: get a session first.');
    }
    if (!isSession || password !== undefined) await this.entrance.checkPassword(dropsite, password, visitor);
  }

  private async checkCreator(creator: NamedCreator, { caller }: Visitor, dropsite: Dropsite): Promise<number> {
    const user = caller && (await this.principals.find(creator.id));
    if (mayUploadFor(creator, { caller, user, dropsite })) return creator.id;
    throw dropsiteErrors.creator_not_allowed('creatorId and email do not name somebody for whom you may upload here.');
  }

  /** Before credentials are asked for: whom the limits refuse costs one look-up. */
  private async expectRoom(dropsite: Dropsite, items: readonly CheckedItem[], anonymousBytes: number): Promise<void> {
    const now = this.clock.now();
    const isFull = items.length > 0 && !(await this.usage.hasRoom(dropsite, amountOf(items), now)); // what is refused takes nothing of a dropsite
    if (isFull) throw limitReached(now);
    if (anonymousBytes > 0) await this.charges.expectRoom(dropsite.customerId, anonymousBytes);
  }

  /** Counts a new batch, in the transaction that makes it. */
  private async admit(dropsite: Dropsite, items: readonly CheckedItem[], anonymousBytes: number): Promise<void> {
    const now = this.clock.now();
    if (items.length > 0 && !(await this.usage.take(dropsite, amountOf(items), now))) throw limitReached(now);
    if (anonymousBytes > 0) await this.charges.take(dropsite.customerId, anonymousBytes);
  }
}

const amountOf = (items: readonly CheckedItem[]): Amount => ({
  items: items.length,
  bytes: items.reduce((sum, { fileSize }) => sum + fileSize, 0),
});

/** What a customer stores of a batch: its files or their metadata, and at least what was sent, which is kept with refused items too. */
const storedBytes = (payload: readonly unknown[], items: readonly CheckedItem[]): number => {
  const ofItems = items.reduce((sum, { fileSize, metadata }) => sum + Math.max(fileSize, jsonBytes(metadata)), 0);
  return Math.max(ofItems, jsonBytes(payload));
};

const limitReached = (now: Date) =>
  dropsiteErrors.dropsite_limit_reached('This dropsite accepts no more today. Try again tomorrow (UTC), or with less.', {
    retryAfter: secondsUntilNextDay(now),
  });

/** Users are known; a sender's e-mail address proves nothing, so with a session or without one the network counts. */
const senderKey = ({ caller, network }: Visitor): string =>
  caller && !caller.scopes.has(DROPSITE_SCOPE) ? `user:${caller.userId}` : `network:${network}`;

const sessionOf = ({ caller }: Visitor): string | null => (caller?.scopes.has(DROPSITE_SCOPE) ? (caller.token?.id ?? null) : null);

function findTypeProblem({ type }: CheckedItem, { allowedTypes }: Dropsite) {
  if (allowedTypes.length === 0 || allowedTypes.includes(type)) return null;
  return { code: 'type_not_allowed', message: `This dropsite does not accept ${type}; it accepts ${allowedTypes.join(', ')}.` };
}
