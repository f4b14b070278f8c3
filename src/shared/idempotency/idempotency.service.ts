import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config/index.js';
import { Database, insertIfAbsent } from '../database/index.js';
import { defineErrors } from '../errors.js';
import { FairLimit } from '../fairness/index.js';
import { HousekeepingService } from '../jobs/index.js';
import { equalInConstantTime, SecretBoxService } from '../secrets/index.js';
import { IDEMPOTENT_ANSWER, IDEMPOTENT_REQUEST, IdempotencyKey } from './idempotency-key.entity.js';

/** Half of the connections of a process: each request holds one, and its work may need a second. */
const MAX_CONCURRENT_REQUESTS = 8;
/** A hundred times that: requests take milliseconds, and clients wait for some seconds. */
const MAX_WAITING = 800;

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** The hash that identifies the same request (see fingerprintOf). */
  readonly fingerprint: string;
}

/** A stored response. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The sealed part of a response. */
interface SealedAnswer extends Pick<KeptAnswer, 'headers' | 'body'> {
  /** The key of the fingerprint, in base64, if APP_SECRET has been replaced since. */
  readonly macKey?: string;
}

/** Runs a request once for each key of a user, and stores the response for LOG_RETENTION_DAYS. */
@Injectable()
export class IdempotencyService {
  private readonly limit = new FairLimit({ slots: MAX_CONCURRENT_REQUESTS, maxWaiting: MAX_WAITING });

  constructor(
    private readonly database: Database,
    private readonly box: SecretBoxService,
    private readonly clock: Clock,
    config: Config,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('idempotency_keys', `created_at < $1::timestamptz - interval '${config.logRetentionDays} days'`);
  }

  /**
   * Returns the result of `work`, which runs in the transaction that stores the key: both are committed, or neither. A concurrent request with the
   * same key waits for it. Throws `idempotency_key_reused`, `idempotent_answer_unreadable`, and the errors of
   * `work`, after which nothing is stored.
   */
  async once(request: KeyedRequest, work: () => Promise<KeptAnswer>): Promise<{ readonly answer: KeptAnswer; readonly replayed: boolean }> {
    return await this.limit.run(String(request.userId), async () => {
      return await this.database.transaction(async () => {
        const kept = (await this.claim(request)) ? null : await this.find(request);
        if (kept) return { answer: kept, replayed: true };
        const answer = await work();
        await this.store(request, answer);
        return { answer, replayed: false };
      });
    });
  }

  /** Claims the key; false if it was used before. Waits while a concurrent request uses it. */
  private async claim({ userId, key, fingerprint }: KeyedRequest): Promise<boolean> {
    const mac = this.box.mac(IDEMPOTENT_REQUEST, fingerprint).toString('hex');
    return await insertIfAbsent(this.keys, { userId, key, fingerprint: mac, createdAt: this.clock.now() });
  }

  private async find({ userId, key, fingerprint }: KeyedRequest): Promise<KeptAnswer> {
    const kept = await this.keys.findOneBy({ userId, key });
    if (!kept?.status || !kept.response) throw reused(); // it expired between two statements, a month after its first use
    const opened = this.box.tryOpen(IDEMPOTENT_ANSWER, kept.response);
    if (!opened) throw unreadable();
    const { headers, body, macKey } = JSON.parse(opened.plain) as SealedAnswer;
    if (!this.isOf(fingerprint, kept.fingerprint, macKey)) throw reused();
    return { status: kept.status, headers, body };
  }

  private isOf(fingerprint: string, mac: string, macKey?: string): boolean {
    if (macKey === undefined) return this.box.isMac(mac, { purpose: IDEMPOTENT_REQUEST, value: fingerprint, encoding: 'hex' });
    const expected = createHmac('sha256', Buffer.from(macKey, 'base64')).update(fingerprint).digest('hex');
    return equalInConstantTime(expected, mac);
  }

  private async store({ userId, key }: KeyedRequest, { status, headers, body }: KeptAnswer): Promise<void> {
    await this.keys.update({ userId, key }, { status, response: this.box.seal(IDEMPOTENT_ANSWER, JSON.stringify({ headers, body })) });
  }

  private get keys() {
    return this.database.repository(IdempotencyKey);
  }
}

const reused = () =>
  idempotencyErrors.idempotency_key_reused('This Idempotency-Key was sent with another request before; choose a new one for each request.');

const unreadable = () =>
  idempotencyErrors.idempotent_answer_unreadable(
    'This request was carried out before, but its answer cannot be read any more; find what it made.',
    {
      secretsUnreadable: true,
    },
  );

export const idempotencyErrors = defineErrors({
  invalid_idempotency_key: {
    kind: 'invalid',
    meaning: 'An Idempotency-Key has 1 to 255 visible ASCII characters; use a new UUID for each resource to create.',
  },
  idempotency_key_reused: {
    kind: 'conflict',
    meaning: 'The Idempotency-Key was sent with another request before; use a new one for each resource to create.',
  },
  idempotent_answer_unreadable: {
    kind: 'conflict',
    meaning:
      'The request was carried out before and is not repeated, but its response was encrypted under an APP_SECRET that the service no longer has; look up the resource that it created.',
  },
});
