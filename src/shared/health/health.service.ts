import { Injectable } from '@nestjs/common';
import { Database, Notifications } from '../database/index.js';
import { VERSION } from '../version.js';
import type { ReadyDetails, ReadyResponse } from './health.dto.js';
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
    const database = await this.examineDatabase();
    // Without notifications everything works, but more slowly, because caches are bypassed.
    const notifications = this.notifications.connected ? ('ok' as const) : ('down' as const);
    if (database !== 'ok') return { status: 'down', reasons: [], warnings: [], details: { version: VERSION, database, notifications } };
    const [sources, checks] = await Promise.all([this.sources.all(), this.checks.all()]);
    const reasons = Object.values(checks).flatMap(({ reason }) => reason ?? []);
    const status = reasons.length > 0 ? 'degraded' : 'ok';
    const details = { version: VERSION, database, notifications, ...sources, checks };
    return { status, reasons, warnings: sources.storage?.warnings ?? [], details };
  }

  private async examineDatabase(): Promise<ReadyDetails['database']> {
    const answer = await this.database.probe();
    if (!answer) return 'down';
    return answer.isWritable ? 'ok' : 'read_only';
  }
}
