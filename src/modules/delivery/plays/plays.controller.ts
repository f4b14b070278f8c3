import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { PlayReportsService } from './play-reports.service.js';
import { PlayReportDto, PlayReportFieldsDto } from './plays.dto.js';

@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@Controller('v5/deliverEmbed')
export class PlaysController {
  constructor(private readonly reports: PlayReportsService) {}

  /** Report what a player page plays, for the statistics of the owner. */
  @Post(':link/plays')
  @RateLimited('segments')
  @HttpCode(204)
  @ApiBody({ type: PlayReportFieldsDto })
  @ApiErrors('play_refused')
  report(@Input() input: PlayReportDto): void {
    this.reports.accept(input.link, input);
  }
}
