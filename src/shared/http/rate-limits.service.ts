import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Config, RATE_LIMIT_NAMES, type RateLimitName, type RateLimits } from '../config/index.js';
import { Database } from '../database/index.js';
import { generalErrors } from '../errors.js';
import { HousekeepingService } from '../jobs/index.js';
import { sha256 } from '../secrets/index.js';
import { SeriesCounter, seriesByValue } from '../series-counter.js';

/** Part of the key comes from the request; keys that an index cannot store (too long, a NUL byte) are counted under their hash. */
const STORABLE_KEY = /^[\x20-\x7e]{1,500}$/;

/** Limits that would otherwise cost every such request a statement: bodies of unknown callers, and segments of films. */
const COUNTED_IN_MEMORY: ReadonlySet<RateLimitName> = new Set(['address', 'segments']);

const refusals = seriesByValue(
  new SeriesCounter({ name: 'rate_limited_total', help: 'Requests refused by a rate limit, by the name of the limit.', labels: ['limit'] }),
  'limit',
  RATE_LIMIT_NAMES,
);

/** A request with the caller's identity. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The proven client or access key; null if there is none. */
  readonly identity: string | null;
}

/**
 * Fixed windows counted in PostgreSQL (table rate_limits, unlogged), so that a limit covers all processes together; some are counted in each
 * process instead.
 */
@Injectable()
export class RateLimitsService {
  private readonly limiters = new Map<RateLimitName, RateLimiterPostgres | RateLimiterMemory>();
  private readonly limits: RateLimits | null;

  constructor(config: Config, database: Database, housekeeping: HousekeepingService) {
    housekeeping.expire('rate_limits', 'expire < (extract(epoch FROM $1::timestamptz) * 1000)::bigint'); // a numeric would not use the index
    this.limits = config.rateLimits;
    for (const [name, { points, seconds }] of Object.entries(this.limits ?? {}) as [RateLimitName, { points: number; seconds: number }][]) {
      // With one statement per request, a flood would reach the database, so each process counts these limits itself.
      const common = { keyPrefix: name, points, duration: seconds };
      this.limiters.set(name, COUNTED_IN_MEMORY.has(name) ? new RateLimiterMemory(common) : inDatabase(common, database));
    }
  }

  /** Counts one request of a route per client address and proven identity, like `consume`. */
  async consumeRoute(name: RateLimitName, route: string, { request, response, identity }: RoutedRequest): Promise<void> {
    await this.consume(name, `${request.context.clientNetwork}|${identity ?? ''}|${route}`, response);
  }

  /**
   * Counts one request of the key (client address, client, route).
   * @throws DomainError 429 `rate_limited` with `Retry-After` if the limit is exceeded; sets the RateLimit headers in either case.
   */
  async consume(name: RateLimitName, key: string, response: ServerResponse): Promise<void> {
    const { state, isExceeded } = await this.count(name, key, 1);
    if (state) this.describe(name, state, response);
    if (isExceeded) throw rateLimited('requests', state);
  }

  /**
   * Counts a request with invalid credentials per client address, for all routes together, whatever its headers contain.
   * @throws DomainError 429 `rate_limited`, instead of the 401
   */
  async countFailure(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.consume('api', `${request.context.clientNetwork}|failed authentication`, response);
  }

  /**
   * Counts what one request contains, such as items; more than the whole limit counts as the whole limit, so that waiting helps.
   * @throws DomainError 429 `rate_limited` with `Retry-After` if the limit is exceeded.
   */
  async charge(name: RateLimitName, key: string, points: number, what = 'requests'): Promise<void> {
    const { state, isExceeded } = await this.count(name, key, points);
    if (isExceeded) throw rateLimited(what, state);
  }

  /** Reverts a charge for work that was not done. */
  async refund(name: RateLimitName, key: string, points: number): Promise<void> {
    const limiter = this.limiters.get(name);
    await limiter?.reward(storable(key), Math.min(points, limiter.points));
  }

  private async count(name: RateLimitName, key: string, points: number) {
    const limiter = this.limiters.get(name);
    if (!limiter) return { state: null, isExceeded: false as const };
    try {
      const state = await limiter.consume(storable(key), Math.min(points, limiter.points));
      return { state, isExceeded: false as const };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      refusals[name].count += 1;
      return { state: refusal, isExceeded: true as const };
    }
  }

  /** Sets both header forms that clients read: the structured fields of the IETF draft and its earlier three headers. */
  private describe(name: RateLimitName, state: RateLimiterRes, response: ServerResponse): void {
    const limit = this.limits?.[name];
    if (!limit) return;
    const reset = Math.ceil(state.msBeforeNext / 1000);
    const remaining = Math.max(0, state.remainingPoints);
    response.setHeader('ratelimit-policy', `"${name}";q=${limit.points};w=${limit.seconds}`);
    response.setHeader('ratelimit', `"${name}";r=${remaining};t=${reset}`);
    response.setHeader('ratelimit-limit', limit.points);
    response.setHeader('ratelimit-remaining', remaining);
    response.setHeader('ratelimit-reset', reset);
  }
}

const storable = (key: string): string => (STORABLE_KEY.test(key) ? key : sha256(key));

const inDatabase = (options: { keyPrefix: string; points: number; duration: number }, { pool }: Database): RateLimiterPostgres =>
  new RateLimiterPostgres({
    ...options,
    storeClient: pool,
    storeType: 'pool', // the library recognizes pg's own classes by name, and this pool is a subclass
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false, // the housekeeping job does this, in one process
    inMemoryBlockOnConsumed: options.points + 1, // a caller over the limit costs no further statements until the window ends
  });

function rateLimited(what: string, { msBeforeNext }: RateLimiterRes) {
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return generalErrors.rate_limited(`Too many ${what}. Try again in ${retryAfter} seconds.`, { retryAfter });
}
