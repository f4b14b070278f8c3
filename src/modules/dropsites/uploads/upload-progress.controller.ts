import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiClientId, ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { visitorOf } from '../visitor-of.js';
import { UploadProgressDto, UploadProgressResponse } from './upload-progress.dto.js';
import { UploadProgress } from './upload-progress.service.js';

/** What becomes of files that were delivered. Credentials do not count here: the session ended with the upload. */
@ApiTags('Dropsites')
@ApiClientId()
@Public()
@IgnoresCredentials()
@Controller('v5/dropsite')
export class UploadProgressController {
  constructor(
    private readonly uploads: UploadProgress,
    private readonly config: Config,
  ) {}

  /** How far the previews of an upload's files are; files of which nothing is made are left out. The uploadId and the header are the proof. */
  @Get(':link/progress')
  @Header('cache-control', 'no-store')
  @RateLimited('polling')
  @ApiParam({ name: 'link', type: 'string', format: 'uuid', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' })
  @ApiQuery({ name: 'uploadId', type: 'string', format: 'uuid', example: '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52' })
  @ApiErrors('client_mismatch', 'not_found', 'rate_limited')
  async progress(@Req() request: Request, @Input() { link, uploadId }: UploadProgressDto): Promise<UploadProgressResponse[]> {
    return await this.uploads.find(visitorOf(request, this.config), { link, uploadId });
  }
}
