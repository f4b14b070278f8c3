import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AcceptsScope, DROPSITE_SCOPE, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiClientId, ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { UploadDocumentResponse } from '../../uploads/index.js';
import { visitorOf } from '../visitor-of.js';
import { namedCreator } from './choose-creator.js';
import { CreateDropsiteUploadDto } from './create-dropsite-upload.dto.js';
import { DropsiteUploads } from './dropsite-uploads.service.js';
import { UploadNotices } from './upload-notices.js';
import { UploadStartedDto } from './upload-started.dto.js';

/** Uploads of senders, with a session or without one. Item success and complete are those of all uploads (v5/s3). */
@ApiTags('Dropsites')
@ApiBearerAuth('oauth2')
@ApiClientId()
@Public()
@AcceptsScope(DROPSITE_SCOPE)
@Controller('v5/dropsite')
export class DropsiteUploadsController {
  constructor(
    private readonly uploads: DropsiteUploads,
    private readonly notices: UploadNotices,
    private readonly config: Config,
  ) {}

  /** Create upload: answers where each file goes and with which credentials. The same uploadId and payload again refresh the credentials. */
  @Post('createUpload')
  @Idempotent()
  @HttpCode(200)
  @RateLimited('dropsite')
  @ApiBody({ type: CreateDropsiteUploadDto })
  @ApiErrors(
    'client_mismatch',
    'session_required',
    'password_required',
    'password_wrong',
    'creator_not_allowed',
    'not_found',
    'upload_id_conflict',
    'upload_completed',
    'dropsite_expired',
    'dropsite_limit_reached',
    'quota_exceeded',
    'login_delayed',
    'storage_denied',
    'storage_unavailable',
  )
  async createUpload(@Req() request: Request, @Input() input: CreateDropsiteUploadDto): Promise<UploadDocumentResponse> {
    const { link, payload, creatorId, email } = input;
    const document = await this.uploads.create(visitorOf(request, this.config), {
      link,
      payload,
      uploadId: input.uploadId ?? undefined,
      password: input.password ?? undefined,
      wait: input.waitForCompletion ?? true,
      creator: namedCreator(creatorId, email),
    });
    return document as UploadDocumentResponse;
  }

  /** Upload started (optional): tells the owner of the dropsite that files are on their way, and about how long it will take. */
  @Post('uploadStarted')
  @HttpCode(202)
  @RateLimited('dropsite')
  @ApiBody({ type: UploadStartedDto })
  @ApiErrors('unauthenticated', 'client_mismatch', 'not_found')
  async uploadStarted(@Req() request: Request, @Input() input: UploadStartedDto): Promise<void> {
    const { link, uploadId, duration, totalSize, items } = input;
    await this.notices.announce(visitorOf(request, this.config), { link, uploadId, duration: duration ?? null, totalSize, items });
  }
}
