import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { ExplainedFormatResponse, ExplainFormatDto, toExplainedFormatResponse } from './format-explanation.dto.js';
import { FormatExplanationsService } from './format-explanations.service.js';

@ApiTags('Formats')
@ApiBearerAuth('oauth2')
@Controller('v5/format')
export class FormatExplanationsController {
  constructor(private readonly explanations: FormatExplanationsService) {}

  /**
   * Return the origin of each parameter of a format, or the reason why it is ignored. With `mediaId`, the commands that make it of that original too,
   * and why each argument is there.
   */
  @Get(':id/explain')
  @ApiErrors('not_found', 'original_missing')
  async explain(@CurrentCaller() caller: Caller, @Input() { id, mediaId }: ExplainFormatDto): Promise<ExplainedFormatResponse> {
    return toExplainedFormatResponse(await this.explanations.explain(caller, id, mediaId ?? null));
  }
}
