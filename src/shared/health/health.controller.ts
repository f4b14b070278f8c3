import { Controller, Get, HttpCode, Req, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../auth/index.js';
import { Config } from '../config/index.js';
import { Database, Notifications } from '../database/index.js';
import { RateLimited } from '../http/index.js';
import { mayReadInternals } from '../metrics.js';
import { LiveResponse, type ReadyDetails, ReadyResponse } from './health.dto.js';
import { ReadyDetailsService } from './ready-details.service.js';

@ApiTags('Health')
@Public()
@IgnoresCredentials() // checking them would need the database, and whether it answers is the question
@RateLimited('none')
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly sources: ReadyDetailsService,
    private readonly config: Config,
  ) {}

  /** The process runs. */
  @Get('live')
  live(): LiveResponse {
    return { status: 'ok' };
  }

  /** Readiness: 200 if the process can answer requests, with status `degraded` and the reasons if a part of the service does not work; otherwise 503 with the missing part. Only callers on this machine and those with METRICS_TOKEN as bearer token see reasons and details. */
  @Get('ready')
  @HttpCode(200)
  @ApiResponse({ status: 503, type: ReadyResponse, description: 'The database is down.' })
  async ready(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<ReadyResponse> {
    const database = (await this.database.isReachable()) ? ('ok' as const) : ('down' as const);
    // Without notifications everything works, more slowly: caches are bypassed.
    const notifications = this.notifications.connected ? ('ok' as const) : ('down' as const);
    const details: ReadyDetails = { database, notifications, ...(database === 'ok' ? await this.sources.all() : {}) };
    if (database === 'down') response.status(503);
    const reasons = details.converter?.problems ?? [];
    const status = database === 'ok' && reasons.length > 0 ? 'degraded' : database;
    if (!mayReadInternals(request, this.config.metricsToken)) return { status };
    const warnings = details.storage?.warnings ?? [];
    return { status, ...(reasons.length > 0 && { reasons }), ...(warnings.length > 0 && { warnings }), details };
  }
}
