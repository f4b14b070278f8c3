import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AcceptsScope, DROPSITE_SCOPE, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiClientId, ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { UploadDocumentResponse } from '../../uploads/index.js';
import { visitorOf } from '../dropsite-entrance.service.js';
import { CreateDropsiteUploadDto, UploadStartedDto, UploadStartedResponse } from './dropsite-upload.dto.js';
import { DropsiteUploadsService, namedCreator } from './dropsite-uploads.service.js';

/** Uploads of senders, with or without a session. Item success and complete are the same as for all uploads (v5/s3). */
@ApiTags('Dropsites')
@ApiBearerAuth('oauth2')
@ApiClientId()
@Public()
@AcceptsScope(DROPSITE_SCOPE)
@Controller('v5/dropsite')
export class DropsiteUploadsController {
  constructor(
    private readonly uploads: DropsiteUploadsService,
    private readonly config: Config,
  ) {}

  /** Create upload: returns where to upload each file and with which credentials. Repeating the same uploadId and payload renews the credentials. */
  @Post('createUpload')
  @Idempotent()
  @HttpCode(200)
  @RateLimited('dropsite')
  @ApiErrors(
    'client_mismatch',
    'session_required',
    'password_required',
    'password_wrong',
    'creator_not_allowed',
    'not_found',
    'upload_id_conflict',
    'upload_completed',
    'too_many_bytes',
    'dropsite_expired',
    'dropsite_limit_reached',
    'quota_exceeded',
    'login_delayed',
    'storage_denied',
    'storage_unavailable',
  )
  async createUpload(@Req() request: Request, @Input() input: CreateDropsiteUploadDto): Promise<UploadDocumentResponse> {
    const { link, payload, creatorId, email } = input;
    return await this.uploads.create(visitorOf(request, this.config), {
      link,
      payload,
      uploadId: input.uploadId ?? undefined,
      password: input.password ?? undefined,
      wait: input.waitForCompletion ?? true,
      creator: namedCreator(creatorId, email),
    });
  }

  /** Upload started (optional): notifies the owner of the dropsite that an upload starts, and about how long it will take. */
  @Post('uploadStarted')
  @HttpCode(202)
  @RateLimited('dropsite')
  @ApiErrors('unauthenticated', 'client_mismatch', 'not_found')
  async uploadStarted(@Req() request: Request, @Input() input: UploadStartedDto): Promise<UploadStartedResponse> {
    const { link, uploadId, duration, totalSize, items } = input;
    await this.uploads.announce(visitorOf(request, this.config), { link, uploadId, duration: duration ?? null, totalSize, items });
    return { uploadId };
  }
}
