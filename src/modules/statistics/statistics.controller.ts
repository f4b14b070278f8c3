import { Controller, Get, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiErrors, Input } from '../../shared/http/index.js';
import { DEFAULT_LIMIT, linkToNext } from '../../shared/resources/index.js';
import { StatisticsDto, StatisticsRowResponse, WatchedContainerDto } from './statistics.dto.js';
import type { StatisticsRow } from './statistics.repository.js';
import { StatisticsService } from './statistics.service.js';

@ApiTags('Statistics')
@ApiBearerAuth('oauth2')
@Controller('v5')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  /** Sum what was played, downloaded, shown and refused: by day, media container, link, configuration, host, device or rule. */
  @Get('statistics')
  @ApiOkResponse({ type: StatisticsRowResponse, isArray: true })
  async find(
    @CurrentCaller() caller: Caller,
    @Input() { from, to, by = 'day', limit = DEFAULT_LIMIT, cursor, ...filters }: StatisticsDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StatisticsRowResponse[]> {
    const { rows, next } = await this.statistics.find(caller, { from, to, by, limit, cursor, filters });
    if (next !== null) linkToNext(response, limit, next);
    return rows.map(toStatisticsRowResponse);
  }

  /** Get the share of plays within 90 days (0 to 1) that saw each hundredth of a film or sound. */
  @Get('mediacontainer/:id/retention')
  @ApiOkResponse({ schema: { type: 'array', items: { type: 'number' }, minItems: 100, maxItems: 100 } })
  @ApiErrors('not_found')
  async findRetention(@CurrentCaller() caller: Caller, @Input() { id }: WatchedContainerDto): Promise<number[]> {
    return await this.statistics.findRetention(caller, id);
  }
}

const toStatisticsRowResponse = (row: StatisticsRow): StatisticsRowResponse => ({
  key: row.key || null,
  plays: row.plays,
  watchedSeconds: row.watchedSeconds,
  finished: row.finished,
  downloads: row.downloads,
  pictures: row.pictures,
  refused: row.refused,
  bytes: row.bytes,
});
