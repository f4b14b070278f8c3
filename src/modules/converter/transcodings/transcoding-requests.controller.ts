import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { TranscodeDto, TranscodeFieldsDto, TranscodeResponse } from './transcoding-requests.dto.js';
import { TranscodingRequestsService } from './transcoding-requests.service.js';

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class TranscodingRequestsController {
  constructor(private readonly requests: TranscodingRequestsService) {}

  /** Make formats from a media container's original. For a format already in progress the response contains the existing job. */
  @Post(':id/transcode')
  @Idempotent()
  @HttpCode(200)
  @ApiBody({ type: TranscodeFieldsDto })
  @ApiErrors('id_mismatch', 'media_container_in_trash', 'media_container_is_watermark', 'not_found', 'original_missing', 'quota_exceeded')
  async transcode(@CurrentCaller() caller: Caller, @Input() { id, formatIds }: TranscodeDto): Promise<TranscodeResponse> {
    return { jobs: [...(await this.requests.request(caller, id, formatIds))] };
  }
}
