import { Injectable } from '@nestjs/common';
import { MAX_TOKEN_CLOCK_SECONDS } from '../clock.js';
import { Database, Notifications } from '../database/index.js';
import { VERSION } from '../version.js';
import { clockDifference, explainClock, isAboutClock } from './clock-difference.js';
import type { CheckDetails, CheckName, ReadyDetails, ReadyResponse } from './health.dto.js';
import { HealthChecksService } from './health-checks.service.js';
import { ReadyDetailsService } from './ready-details.service.js';

/** Whether this process can answer requests, and which parts of the service do not work. */
@Injectable()
export class HealthService {
  constructor(
    private readonly checks: HealthChecksService,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly sources: ReadyDetailsService,
  ) {}

  /** Examines all parts: without the database nothing works; every other part that fails is a reason for `degraded`. */
  async examine(): Promise<Required<Omit<ReadyResponse, 'details'>> & { readonly details: ReadyDetails }> {
    const askedAt = Date.now();
    const answer = await this.database.probe();
    const database: ReadyDetails['database'] = answer === null ? 'down' : answer.isWritable ? 'ok' : 'read_only';
    const answeredAt = Date.now();
    // Without notifications everything works, but more slowly, because caches are bypassed.
    const notifications = this.notifications.connected ? ('ok' as const) : ('down' as const);
    if (database !== 'ok') return { status: 'down', reasons: [], warnings: [], details: { version: VERSION, database, notifications } };
    const [sources, checks] = await Promise.all([this.sources.all(), this.checks.all()]);
    const failing = (Object.entries(checks) as [CheckName, CheckDetails][]).filter(([, { reason }]) => reason !== undefined);
    const [harmless, harmful] = [true, false].map((isWarning) =>
      failing.filter(([name]) => this.checks.isWarning(name) === isWarning).map(([, { reason = '' }]) => reason),
    ) as [string[], string[]];
    const details = { version: VERSION, database, notifications, ...sources, checks };
    const warnings = [...(sources.storage?.warnings ?? []), ...harmless];
    // Tokens of a process with such a clock are refused by the others, and it refuses theirs.
    const difference = clockDifference(answer?.now ?? null, { askedAt, answeredAt });
    if (Math.abs(difference) > MAX_TOKEN_CLOCK_SECONDS) {
      return {
        status: 'down',
        reasons: [explainClock(difference), ...harmful.filter((reason) => !isAboutClock(reason))],
        warnings,
        details,
      };
    }
    return { status: harmful.length > 0 ? 'degraded' : 'ok', reasons: harmful, warnings, details };
  }
}
