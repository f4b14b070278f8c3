import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiClientId, ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { visitorOf } from '../dropsite-entrance.service.js';
import { UploadProgressDto, UploadProgressResponse } from './dropsite-upload.dto.js';
import { UploadProgressService } from './upload-progress.service.js';

/** Progress of uploaded files. Credentials are ignored, because the session ended with the upload. */
@ApiTags('Dropsites')
@ApiClientId()
@Public()
@IgnoresCredentials()
@Controller('v5/dropsite')
export class UploadProgressController {
  constructor(
    private readonly uploads: UploadProgressService,
    private readonly config: Config,
  ) {}

  /** Get the progress of the previews of an upload's files; files without renditions are omitted. The uploadId and the header identify the sender. */
  @Get(':link/progress')
  @Header('cache-control', 'no-store')
  @RateLimited('polling')
  @ApiErrors('client_mismatch', 'not_found', 'rate_limited')
  async progress(@Req() request: Request, @Input() { link, uploadId }: UploadProgressDto): Promise<UploadProgressResponse[]> {
    return await this.uploads.find(visitorOf(request, this.config), { link, uploadId });
  }
}
