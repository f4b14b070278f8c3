import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from '../clock.js';
import { isDatabaseDown } from '../errors.js';
import { Log } from '../logging/index.js';
import { SharedWork } from '../shared-work.js';
import type { CheckDetails, CheckName } from './health.dto.js';

/** How long the response waits for checks that are due; after that it contains their previous findings. */
const MAX_WAIT_MS = 100;
/** A part that has not responded for this long counts as failing. */
const TIMEOUT_MS = 5_000;
/** A failing part is checked again after this short time, so that its recovery is noticed, unless its check specifies another. */
const RECHECK_SECONDS = 10;

/** How a part of the service is checked. */
export interface HealthCheck {
  /** Maximum age of a positive finding before the part is checked again. Choose it by what a check costs the part. */
  readonly maxAgeSeconds: number;
  /** Maximum age of a negative finding; default: 10. Specify it for parts that count or limit the checks. */
  readonly recheckSeconds?: number;
  /** Whether requests are answered in full without the part, so that its failure is a warning and not a reason for `degraded`. Default: false. */
  readonly isWarning?: boolean;
  /** Whether the process that has the problem logs it itself; then the findings are not logged. Default: false. */
  readonly isLoggedBySource?: boolean;
  /** Why the part does not work, as a sentence for the operator; null if it works. */
  findProblem(): Promise<string | null>;
}

/** The instance of this process; tests start several applications, and the metrics show the last one. */
let measured: HealthChecksService | null = null;

/**
 * Checks the parts without which requests are still served but something does not work. Load balancers request readiness every few seconds on
 * every machine, so a part is only checked when its last finding is too old, one check at a time, and a part that hangs does not delay the
 * response.
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

  /** Registers a check; register before the application starts. */
  register(name: CheckName, check: HealthCheck): void {
    this.parts.set(name, new Part(name, check, this.log));
  }

  /** Records whether a part worked when it was used. If its last finding was different, the part is checked soon. */
  noteOutcome(name: CheckName, works: boolean): void {
    this.parts.get(name)?.noteOutcome(works);
  }

  /** Whether the failure of a part is only a warning. */
  isWarning(name: CheckName): boolean {
    return this.parts.get(name)?.isWarning ?? false;
  }

  /** The findings, by part. */
  async all(): Promise<Partial<Record<CheckName, CheckDetails>>> {
    const now = this.clock.now();
    const due = [...this.parts.values()].map(async (part) => await part.check(now));
    await within(MAX_WAIT_MS, Promise.all(due));
    return Object.fromEntries([...this.parts].map(([name, part]) => [name, part.finding]));
  }
}

new Gauge({
  name: 'health_check_failing',
  help: 'Whether a part that /health/ready checks fails, by part.',
  labelNames: ['check'],
  aggregator: 'max',
  async collect() {
    await null; // lets the gauges of the pool be read before the checks use it
    const findings = Object.entries((await measured?.all()) ?? {});
    this.reset();
    for (const [check, { status }] of findings) if (status !== 'unknown') this.set({ check }, status === 'failing' ? 1 : 0);
  },
});

class Part {
  finding: CheckDetails = { status: 'unknown' };
  private checkedAt = Number.NEGATIVE_INFINITY;
  private failingSince = Number.NaN;
  /** Whether a use of the part had another outcome than the last check. */
  private isContradicted = false;
  /** Whether the last check has not ended in time; no second one starts meanwhile, however long it takes. */
  private isOverdue = false;
  private readonly running = new SharedWork<void>();

  constructor(
    private readonly name: CheckName,
    private readonly how: HealthCheck,
    private readonly log: Log,
  ) {}

  /** Checks if needed; resolves when the finding is recent enough, or after the timeout. Never rejects. */
  async check(now: Date): Promise<void> {
    const age = now.getTime() - this.checkedAt;
    if (this.isOverdue || (!this.running.find() && age >= 0 && age < this.maxAgeSeconds() * 1_000)) return;
    await this.running.get(async () => await this.run(now));
  }

  get isWarning(): boolean {
    return this.how.isWarning ?? false;
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
    if (timely) return;
    this.isOverdue = true;
    void answer.then((late) => {
      this.record(late, now);
      this.isOverdue = false;
    });
  }

  private async find(): Promise<{ readonly problem: string | null }> {
    try {
      return { problem: await this.how.findProblem() };
    } catch (err) {
      if (isDatabaseDown(err)) return { problem: null }; // reported separately
      this.log.error({ err, check: this.name }, 'a readiness check failed with an error');
      return { problem: 'The check failed; the log contains the error.' };
    }
  }

  private record({ problem: reason }: { readonly problem: string | null }, now: Date): void {
    const { name: check } = this;
    const isLogged = this.how.isLoggedBySource !== true;
    this.checkedAt = now.getTime();
    this.isContradicted = false;
    const hasFailed = this.finding.status === 'failing';
    if (!hasFailed) this.failingSince = this.checkedAt;
    const seconds = Math.round((this.checkedAt - this.failingSince) / 1_000);
    const checkedAt = now.toISOString();
    if (reason === null) {
      if (hasFailed && isLogged) this.log.info({ check, seconds }, 'a part of the service works again');
      this.finding = { status: 'ok', checkedAt };
    } else {
      if (isLogged) this.log.warn({ operation: 'check', check, reason, seconds }, 'a part of the service does not work');
      this.finding = { status: 'failing', checkedAt, reason, since: new Date(this.failingSince).toISOString() };
    }
  }
}

/** The result of the work; null if it takes longer than `ms`. */
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
