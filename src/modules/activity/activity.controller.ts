import { Controller, Delete, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AcceptsScope, type Caller, CurrentCaller, DROPSITE_SCOPE, Public } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { ApiClientId, ApiErrors, clientIdHeader, IfMatch, Input, RateLimited, requireNoTag } from '../../shared/http/index.js';
import { DEFAULT_LIMIT, setNextLink } from '../../shared/resources/index.js';
import { ActivitiesService, type JobResult } from './activities.service.js';
import { ActivityResponse, ApiJobResults, FindActivitiesDto, JobIdDto, jobResultSchema, toActivityResponse } from './activity.dto.js';

const JOB_ID = { name: 'jobId', type: 'string', format: 'uuid', example: '0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11' };

@ApiTags('Activity')
@ApiBearerAuth('oauth2')
@ApiJobResults()
@Controller('v5/activity')
export class ActivityController {
  constructor(
    private readonly activities: ActivitiesService,
    private readonly config: Config,
  ) {}

  /** List the jobs of the customer that are running or ended in the last 30 days, and failed transcodings of the last year, newest first. */
  @Get()
  @RateLimited('polling')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { cursor, limit = DEFAULT_LIMIT, status, type, mediaContainerId }: FindActivitiesDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ActivityResponse[]> {
    const found = await this.activities.list(caller, { status, type, mediaContainerId, before: cursor, limit });
    const places = found.map(({ activity }) => ({ id: Number(activity.sequence) })); // the next page continues in the order in which jobs started
    setNextLink(response, { limit }, places);
    return found.map(toActivityResponse);
  }

  /** Cancel a waiting or running transcoding. */
  @Delete(':jobId')
  @ApiParam(JOB_ID)
  @ApiErrors('job_not_cancellable', 'not_found')
  async cancel(
    @CurrentCaller() caller: Caller,
    @Input() { jobId }: JobIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ActivityResponse> {
    requireNoTag(ifMatch, `job ${jobId}`);
    return toActivityResponse(await this.activities.cancel(caller, jobId));
  }

  /**
   * Result of a job: `{ "ok": true }` while it runs, with `progress` if it reports any, then its result, which never has a key `ok`. Poll
   * each job at most once a second, or use GET /v5/activity for all jobs. Senders of a dropsite send its clientId as header.
   */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Get('jobResult/:jobId')
  @RateLimited('polling')
  @ApiParam(JOB_ID)
  @ApiOkResponse({ schema: jobResultSchema(), description: 'The result, or that the job is running.' })
  async jobResult(@CurrentCaller() caller: Caller | null, @Req() request: Request, @Input() { jobId }: JobIdDto): Promise<JobResult> {
    return await this.activities.getResult({ caller, clientId: clientIdHeader(request, this.config.headerPrefixes) }, jobId);
  }
}
