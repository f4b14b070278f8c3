import { Controller, Get, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AcceptsScope, type Caller, CurrentCaller, DROPSITE_SCOPE, Public } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { ApiClientId, clientIdHeader, Input } from '../../shared/http/index.js';
import { Activities, type JobResult } from './activities.js';
import { JobIdDto } from './job-id.dto.js';

@ApiTags('Activity')
@ApiBearerAuth('oauth2')
@Controller('v5/activity')
export class ActivityController {
  constructor(
    private readonly activities: Activities,
    private readonly config: Config,
  ) {}

  /** Result of a job: `{ "ok": true }` while it runs, then what came of it. Senders of a dropsite send its clientId as header. */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Get('jobResult/:jobId')
  @ApiParam({ name: 'jobId', type: 'string', format: 'uuid', example: '0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11' })
  @ApiOkResponse({ description: 'While it runs `{ ok: true }`; else the result; of a failed job `{ status: "failed", code, message }`.' })
  async jobResult(@CurrentCaller() caller: Caller | null, @Req() request: Request, @Input() { jobId }: JobIdDto): Promise<JobResult> {
    return await this.activities.result({ caller, clientId: clientIdHeader(request, this.config.headerPrefixes) }, jobId);
  }
}
