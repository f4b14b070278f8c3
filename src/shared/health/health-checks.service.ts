import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from '../clock.js';
import { isDatabaseDown } from '../errors.js';
import { Log } from '../logging/index.js';
import type { CheckDetails, CheckName } from './health.dto.js';

/** How long the answer waits for checks that are due; after that it contains their last findings. */
const PATIENCE_MS = 100;
/** A part that has not answered for this long counts as failing. */
const TIMEOUT_MS = 5_000;
/** A failing part is checked again after this short time, so that its recovery is noticed, unless its checks say otherwise. */
const RECHECK_SECONDS = 10;

/** How a part that can fail is checked. */
export interface HealthCheck {
  /** The age up to which the finding that the part works is reported without checking again. Choose it by what a check costs the part. */
  readonly maxAgeSeconds: number;
  /** The age up to which the finding that it fails is reported; 10 unless others count or limit the checks. */
  readonly recheckSeconds?: number;
  /** Why the part does not work, as a sentence for the operator; null: it works. */
  findProblem(): Promise<string | null>;
}

/** The application of this process; tests start several, of which the last one is measured. */
let measured: HealthChecksService | null = null;

/**
 * Checks the parts without which requests are still answered but something does not work. Balancers ask for readiness every few seconds on
 * every machine, so a part is checked only when its last finding is too old, once at a time, and a part that hangs does not delay the
 * answer.
 */
@Injectable()
export class HealthChecksService implements OnModuleInit, OnApplicationShutdown {
  private readonly parts = new Map<CheckName, Part>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    measured = this;
  }

  onApplicationShutdown(): void {
    if (measured === this) measured = null;
  }

  /** Register before the application starts. */
  register(name: CheckName, check: HealthCheck): void {
    this.parts.set(name, new Part(name, check, this.log));
  }

  /** A call in the course of work has shown whether a part works. If its last finding was different, the part is checked soon. */
  noteOutcome(name: CheckName, works: boolean): void {
    this.parts.get(name)?.noteOutcome(works);
  }

  /** The findings, by part. */
  async all(): Promise<Partial<Record<CheckName, CheckDetails>>> {
    const now = this.clock.now();
    const due = [...this.parts.values()].map(async (part) => await part.check(now));
    await within(PATIENCE_MS, Promise.all(due));
    return Object.fromEntries([...this.parts].map(([name, part]) => [name, part.finding]));
  }
}

new Gauge({
  name: 'health_check_failing',
  help: 'Whether a part that /health/ready checks fails, by part.',
  labelNames: ['check'],
  aggregator: 'max',
  async collect() {
    await null; // the gauges of the pool are read before the checks use it
    const findings = Object.entries((await measured?.all()) ?? {});
    this.reset();
    for (const [check, { status }] of findings) if (status !== 'unknown') this.set({ check }, status === 'failing' ? 1 : 0);
  },
});

class Part {
  finding: CheckDetails = { status: 'unknown' };
  private checkedAt = Number.NEGATIVE_INFINITY;
  private failingSince = Number.NaN;
  /** Whether a call in the course of work had another outcome than the last check. */
  private isContradicted = false;
  /** The check that runs; a second one does not start beside it, however long it takes. */
  private running: Promise<void> | null = null;

  constructor(
    private readonly name: CheckName,
    private readonly how: HealthCheck,
    private readonly log: Log,
  ) {}

  /** Ends when the finding is new enough, after the timeout at the latest. Never rejects. */
  async check(now: Date): Promise<void> {
    const age = now.getTime() - this.checkedAt;
    if (this.running === null && age >= 0 && age < this.maxAgeSeconds() * 1_000) return;
    this.running ??= this.run(now);
    await this.running;
  }

  noteOutcome(works: boolean): void {
    if (this.finding.status === (works ? 'failing' : 'ok')) this.isContradicted = true;
  }

  private maxAgeSeconds(): number {
    const { maxAgeSeconds, recheckSeconds = RECHECK_SECONDS } = this.how;
    const seconds = this.finding.status === 'failing' ? recheckSeconds : maxAgeSeconds;
    return this.isContradicted ? Math.min(RECHECK_SECONDS, seconds) : seconds;
  }

  private async run(now: Date): Promise<void> {
    const answer = this.find();
    const timely = await within(TIMEOUT_MS, answer);
    this.record(timely ?? { problem: `No answer within ${TIMEOUT_MS / 1_000} seconds.` }, now);
    if (timely) this.running = null;
    else
      void answer.then((late) => {
        this.record(late, now);
        this.running = null;
      });
  }

  private async find(): Promise<{ readonly problem: string | null }> {
    try {
      return { problem: await this.how.findProblem() };
    } catch (err) {
      if (isDatabaseDown(err)) return { problem: null }; // reported separately
      this.log.error({ err, check: this.name }, 'a check of readiness failed');
      return { problem: 'The check failed; the log contains the error.' };
    }
  }

  private record({ problem: reason }: { readonly problem: string | null }, now: Date): void {
    const { name: check } = this;
    this.checkedAt = now.getTime();
    this.isContradicted = false;
    const hasFailed = this.finding.status === 'failing';
    if (!hasFailed) this.failingSince = this.checkedAt;
    const seconds = Math.round((this.checkedAt - this.failingSince) / 1_000);
    const checkedAt = now.toISOString();
    if (reason === null) {
      if (hasFailed) this.log.info({ check, seconds }, 'a part of the service works again');
      this.finding = { status: 'ok', checkedAt };
    } else {
      this.log.warn({ operation: 'check', check, reason, seconds }, 'a part of the service does not work');
      this.finding = { status: 'failing', checkedAt, reason, since: new Date(this.failingSince).toISOString() };
    }
  }
}

/** Null: the work takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null).unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
