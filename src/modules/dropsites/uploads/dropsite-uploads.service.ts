import { Injectable } from '@nestjs/common';
import { type Caller, DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { canonicalEmail } from '../../../shared/email-address.js';
import { generalErrors } from '../../../shared/errors.js';
import { EventOutboxService } from '../../../shared/events/index.js';
import { RateLimitsService } from '../../../shared/http/index.js';
import { secondsUntilNextUtcDay } from '../../../shared/utc-day.js';
import { type Principal, PrincipalsService } from '../../accounts/index.js';
import { type CheckedItem, UploadBatchesService, type UploadDocumentResponse, UploadPreparationService } from '../../uploads/index.js';
import type { Dropsite } from '../dropsite.entity.js';
import { DropsiteEntranceService, type Visitor } from '../dropsite-entrance.service.js';
import { dropsiteErrors } from '../dropsites.errors.js';
import { AnonymousUploadQuotaService } from './anonymous-upload-quota.service.js';
import { type Amount, DropsiteUsageRepository } from './dropsite-usage.repository.js';

/** The creator that a request names for its media containers. */
interface NamedCreator {
  readonly id: number;
  readonly email: string;
}

interface DropsiteUpload {
  readonly link: string;
  readonly uploadId?: string;
  readonly payload: readonly unknown[];
  readonly wait: boolean;
  readonly creator: NamedCreator | null;
  readonly password?: string;
}

/** The announcement of an upload that starts. */
interface UploadAnnouncement {
  readonly link: string;
  readonly uploadId: string;
  /** The expected duration in seconds. */
  readonly duration: number | null;
  /** The total size in bytes. */
  readonly totalSize: number;
  readonly items: number;
}

/** Prepares uploads of senders within the limits of their dropsite, and announces them to its owner. */
@Injectable()
export class DropsiteUploadsService {
  constructor(
    private readonly entrance: DropsiteEntranceService,
    private readonly preparation: UploadPreparationService,
    private readonly batches: UploadBatchesService,
    private readonly principals: PrincipalsService,
    private readonly usage: DropsiteUsageRepository,
    private readonly quota: AnonymousUploadQuotaService,
    private readonly limiter: RateLimitsService,
    private readonly events: EventOutboxService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Prepares a batch of the sender at the link; repeating the request returns the same batch with new credentials. Throws the errors of the
   * entrance and of a preparation, `session_required`, `insufficient_scope`, `creator_not_allowed`, `dropsite_limit_reached`,
   * `quota_exceeded`, and `rate_limited` for too many items, accepted or refused.
   */
  async create(visitor: Visitor, { link, uploadId, payload, wait, creator, password }: DropsiteUpload): Promise<UploadDocumentResponse> {
    const dropsite = await this.entrance.findOpen(link, visitor);
    await this.checkSender(visitor, dropsite, password);
    const { id: dropsiteId, customerId, clientId } = dropsite;
    const creatorId = creator ? await this.checkCreator(creator, visitor, dropsite) : dropsite.ownerId;
    const isAnonymous = visitor.caller === null || visitor.caller.scopes.has(DROPSITE_SCOPE); // the address of a session is not verified
    const anonymousBytesOf = (items: readonly CheckedItem[]) => (isAnonymous ? storedBytes(payload, items) : 0);
    let charged = 0;
    const prepared = this.preparation.prepare({
      owner: { customerId, creatorId, userId: visitor.caller?.userId ?? null, clientId, dropsiteId, sessionId: sessionOf(visitor) },
      uploadId,
      payload,
      wait,
      refuse: (item) => findItemProblem(item, dropsite),
      precheck: async (items, refused) => {
        await this.requireRoom(dropsite, items, anonymousBytesOf(items));
        if (refused > 0) await this.limiter.charge('refused', senderKey(visitor), refused, 'refused items');
        if (!isAnonymous || items.length === 0) return;
        await this.limiter.charge('items', visitor.network, items.length, 'files');
        charged = items.length;
      },
      admit: async (items) => await this.countBatch(dropsite, items, anonymousBytesOf(items)),
    });
    return await prepared.catch(async (error: unknown) => {
      if (charged > 0) await this.limiter.refund('items', visitor.network, charged); // returned, because the batch was not stored
      throw error;
    });
  }

  /**
   * Announces the start of an upload to the owner of the dropsite, once for each batch that has not ended. Throws `not_found`,
   * `client_mismatch` and, for a batch that was prepared with a session or token, `unauthenticated`.
   */
  async announce({ caller, clientId }: Visitor, { link, ...announcement }: UploadAnnouncement): Promise<void> {
    const dropsite = await this.entrance.find(link, { clientId });
    const batch = await this.batches.get({ caller, clientId: dropsite.clientId }, announcement.uploadId, dropsite.id);
    const { id: dropsiteId, customerId, ownerId } = dropsite;
    await this.database.transaction(async () => {
      if (!(await this.batches.markAnnounced(batch.id))) return;
      const payload = { ...announcement, link: dropsite.link, dropsiteId, ownerId };
      await this.events.publish({ name: 'event:dropsiteUploadStarted', customerId, method: 'create', payload });
    });
  }

  private async checkSender(visitor: Visitor, dropsite: Dropsite, password: string | undefined): Promise<void> {
    const { caller } = visitor;
    const isSession = caller?.scopes.has(DROPSITE_SCOPE) ?? false;
    if (isSession && caller?.clientId !== dropsite.clientId) {
      throw generalErrors.insufficient_scope(
        'The session belongs to another dropsite; a session is valid only for the link that it was created for.',
      );
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
    throw dropsiteErrors.creator_not_allowed('You cannot upload here on behalf of the person that creatorId and email name.');
  }

  /** Checks the limits before credentials are issued, so that a batch that exceeds one costs only this query. */
  private async requireRoom(dropsite: Dropsite, items: readonly CheckedItem[], anonymousBytes: number): Promise<void> {
    const now = this.clock.now();
    const isFull = items.length > 0 && !(await this.usage.hasRoom(dropsite, amountOf(items), now)); // refused items do not count
    if (isFull) throw limitReached(now);
    if (anonymousBytes > 0) await this.quota.requireRoom(dropsite.customerId, anonymousBytes);
  }

  /** Counts a new batch, in the transaction that inserts it. Throws `not_found` if the dropsite was deleted meanwhile. */
  private async countBatch(dropsite: Dropsite, items: readonly CheckedItem[], anonymousBytes: number): Promise<void> {
    const now = this.clock.now();
    if (items.length > 0 && !(await this.usage.consume(dropsite, amountOf(items), now))) {
      await this.entrance.find(dropsite.link, { clientId: null });
      throw limitReached(now);
    }
    if (anonymousBytes > 0) await this.quota.consume(dropsite.customerId, anonymousBytes);
  }
}

/** The named creator; `creatorId` and `email` name one only together. */
export const namedCreator = (creatorId: number | null | undefined, email: string | null | undefined): NamedCreator | null =>
  typeof creatorId === 'number' && email ? { id: creatorId, email: canonicalEmail(email) } : null;

/** Whether a caller may upload on behalf of `creator`, whose record is `user`: a session for its own sender, a user for a colleague. */
export function mayUploadFor(
  creator: NamedCreator,
  { caller, user, dropsite }: { caller: Caller | null; user: Principal | null; dropsite: Pick<Dropsite, 'customerId'> },
): boolean {
  if (!caller || user?.id !== creator.id || user.email !== creator.email || user.customerId !== dropsite.customerId) return false;
  if (caller.scopes.has(DROPSITE_SCOPE)) return caller.userId === user.id;
  return caller.customerId === dropsite.customerId && user.kind !== 'sender';
}

const amountOf = (items: readonly CheckedItem[]): Amount => ({
  items: items.length,
  bytes: items.reduce((sum, { fileSize }) => sum + fileSize, 0),
});

/** The bytes that a customer stores for a batch: the files or their metadata, and at least the payload, which is also kept for refused items. */
const storedBytes = (payload: readonly unknown[], items: readonly CheckedItem[]): number => {
  const ofItems = items.reduce((sum, { fileSize, metadata }) => sum + Math.max(fileSize, jsonBytes(metadata)), 0);
  return Math.max(ofItems, jsonBytes(payload));
};

/** The bytes of a value as JSON in UTF-8. */
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const limitReached = (now: Date) =>
  dropsiteErrors.dropsite_limit_reached('This dropsite accepts no more uploads today. Try again tomorrow (UTC), or upload less.', {
    retryAfter: secondsUntilNextUtcDay(now),
  });

/** The key of the rate limit: the user or, because the e-mail address of a sender is not verified, the network, with or without a session. */
const senderKey = ({ caller, network }: Visitor): string =>
  caller && !caller.scopes.has(DROPSITE_SCOPE) ? `user:${caller.userId}` : `network:${network}`;

const sessionOf = ({ caller }: Visitor): string | null => (caller?.scopes.has(DROPSITE_SCOPE) ? (caller.token?.id ?? null) : null);

/** Finds the problem of an item at a dropsite; senders cannot add tracks to existing containers. */
function findItemProblem({ type, track }: CheckedItem, { allowedTypes }: Dropsite) {
  if (track) return { code: 'not_allowed', message: 'Nothing can be added to a media container here; omit mediaContainerId and role.' };
  if (allowedTypes.length === 0 || allowedTypes.includes(type)) return null;
  return { code: 'type_not_allowed', message: `This dropsite does not accept ${type}; it accepts ${allowedTypes.join(', ')}.` };
}
