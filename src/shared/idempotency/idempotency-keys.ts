import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { FairLimit } from '../fairness/index.js';
import { Housekeeping } from '../jobs/index.js';
import { SecretBox } from '../secrets/index.js';
import { Clock } from '../time/index.js';
import { idempotencyErrors } from './idempotency.errors.js';

const PURPOSE = 'idempotent answer';
const COMPARISON = 'idempotent request';
/** Half of the connections of a process: each request holds one, and what it asks for may need a second. */
const AT_A_TIME = 8;

const CLAIM = `INSERT INTO idempotency_keys (user_id, key, fingerprint, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;
const STORE = `UPDATE idempotency_keys SET status = $3, response = $4 WHERE user_id = $1 AND key = $2`;
const FIND = `SELECT fingerprint, status, response FROM idempotency_keys WHERE user_id = $1 AND key = $2`;

/** A request with a key. */
export interface KeyedRequest {
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

/** Does what a request asks for once for each key of a user, and remembers the answer for LOG_RETENTION_DAYS. */
@Injectable()
export class IdempotencyKeys {
  private readonly limit = new FairLimit(AT_A_TIME);

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    config: Config,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('idempotency_keys', `created_at < $1::timestamptz - interval '${config.logRetentionDays} days'`);
  }

  /**
   * The answer of `work`, which runs in the transaction that keeps the key: both stay, or neither. A request with the same key that comes
   * meanwhile waits for it. Throws `idempotency_key_reused`, and what `work` throws, which leaves nothing.
   */
  async once(sent: KeyedRequest, work: () => Promise<KeptAnswer>): Promise<{ readonly answer: KeptAnswer; readonly replayed: boolean }> {
    const request = { ...sent, fingerprint: this.box.mac(COMPARISON, sent.fingerprint).toString('hex') };
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

  /** False when the key was used before; waits while somebody uses it. */
  private async claim({ userId, key, fingerprint }: KeyedRequest): Promise<boolean> {
    const { rowCount } = await this.database.query(CLAIM, [userId, key, fingerprint, this.clock.now()]);
    return rowCount === 1;
  }

  private async find({ userId, key, fingerprint }: KeyedRequest): Promise<KeptAnswer> {
    const kept = await this.database.queryOne<{ fingerprint: string; status: number; response: string }>(FIND, [userId, key]);
    if (!kept) throw reused(); // it expired between two statements, a month after its first use
    if (kept.fingerprint !== fingerprint) throw reused();
    const { headers, body } = JSON.parse(this.box.open(PURPOSE, kept.response)) as Pick<KeptAnswer, 'headers' | 'body'>;
    return { status: kept.status, headers, body };
  }

  private async store({ userId, key }: KeyedRequest, { status, headers, body }: KeptAnswer): Promise<void> {
    await this.database.query(STORE, [userId, key, status, this.box.seal(PURPOSE, JSON.stringify({ headers, body }))]);
  }
}

const reused = () =>
  idempotencyErrors.idempotency_key_reused('This Idempotency-Key was sent with another request before; choose a new one for each request.');
