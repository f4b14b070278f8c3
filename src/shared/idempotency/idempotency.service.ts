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

/** Half of the connections of a process: each request holds one, and what it asks for may need a second. */
const MAX_CONCURRENT_REQUESTS = 8;

/** A request with a key. */
interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** What makes it the same request (see fingerprintOf). */
  readonly fingerprint: string;
}

/** What is answered, and answered again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What is sealed of an answer. */
interface SealedAnswer extends Pick<KeptAnswer, 'headers' | 'body'> {
  /** Under which the fingerprint was made, in base64, since the secret of that time was replaced. */
  readonly macKey?: string;
}

/** Does what a request asks for once for each key of a user, and remembers the answer for LOG_RETENTION_DAYS. */
@Injectable()
export class IdempotencyService {
  private readonly limit = new FairLimit(MAX_CONCURRENT_REQUESTS);

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
   * The answer of `work`, which runs in the transaction that keeps the key: both stay, or neither. A request with the same key that comes
   * meanwhile waits for it. Throws `idempotency_key_reused`, `idempotent_answer_unreadable`, and what
   * `work` throws, which leaves nothing.
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

  /** False if the key was used before; waits while a concurrent request uses it. */
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
