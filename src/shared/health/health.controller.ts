import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { IgnoresCredentials, Public } from '../auth/index.js';
import { Database, Notifications } from '../database/index.js';
import { RateLimited } from '../http/index.js';
import { LiveResponse, type ReadyDetails, ReadyResponse } from './health.dto.js';
import { ReadyDetailSources } from './ready-detail-sources.js';

@ApiTags('Health')
@Public()
@IgnoresCredentials() // checking them would need the database, and whether it answers is the question
@RateLimited('none')
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly sources: ReadyDetailSources,
  ) {}

  /** The process runs. */
  @Get('live')
  live(): LiveResponse {
    return { status: 'ok' };
  }

  /** The process can do its work: 200, with status `degraded` and the reasons if a part of it cannot be done; or 503 with what is missing. */
  @Get('ready')
  @HttpCode(200)
  @ApiResponse({ status: 503, type: ReadyResponse, description: 'The database is down.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadyResponse> {
    const database = await this.database.query('SELECT 1').then(
      () => 'ok' as const,
      () => 'down' as const,
    );
    // Without notifications everything works, more slowly: caches are bypassed.
    const notifications = this.notifications.connected ? ('ok' as const) : ('down' as const);
    const details: ReadyDetails = { database, notifications, ...(database === 'ok' ? await this.sources.all() : {}) };
    if (database === 'down') response.status(503);
    const reasons = details.converter?.problems ?? [];
    return reasons.length > 0 ? { status: 'degraded', reasons, details } : { status: database, details };
  }
}
