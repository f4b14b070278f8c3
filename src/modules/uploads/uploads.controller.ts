import { Controller, Delete, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AcceptsScope, type Caller, CurrentCaller, DROPSITE_SCOPE, Public } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { ApiClientId, ApiErrors, clientIdHeader, IfMatch, Input, requireNoTag } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import type { Sender } from './batches/upload-batches.repository.js';
import { ItemCredentialsService } from './credentials/item-credentials.service.js';
import { UploadPreparationService } from './preparation/upload-preparation.service.js';
import {
  AbandonedUploadResponse,
  CreateUploadDto,
  ItemSuccessDto,
  ItemSuccessResponse,
  MediaIdDto,
  UploadCompleteResponse,
  UploadIdDto,
} from './upload.dto.js';
import { UploadAbandonmentService } from './upload-abandonment.service.js';
import { UploadCompletionService } from './upload-completion.service.js';
import { CredentialsResponse, PreparedUploadResponse, UploadDocumentResponse } from './upload-document.dto.js';

@ApiTags('Uploads')
@ApiBearerAuth('oauth2')
@ApiExtraModels(PreparedUploadResponse) // the response of jobResult refers to it
@Controller('v5/s3')
export class UploadsController {
  constructor(
    private readonly preparation: UploadPreparationService,
    private readonly completion: UploadCompletionService,
    private readonly abandonment: UploadAbandonmentService,
    private readonly itemCredentials: ItemCredentialsService,
    private readonly config: Config,
  ) {}

  /** Prepare upload: returns where to upload each file and with which credentials. Repeating the request renews the credentials. */
  @Post('createUpload')
  @Idempotent()
  @HttpCode(200)
  @ApiErrors('upload_id_conflict', 'upload_completed', 'too_many_bytes', 'storage_denied', 'storage_unavailable')
  async createUpload(@CurrentCaller() caller: Caller, @Input() input: CreateUploadDto): Promise<UploadDocumentResponse> {
    const { customerId, userId } = caller;
    const owner = { customerId, creatorId: userId, userId, clientId: null, dropsiteId: null, sessionId: null };
    const { uploadId, payload, waitForCompletion } = input; // null means the same as absent
    return await this.preparation.prepare({ owner, uploadId: uploadId ?? undefined, payload, wait: waitForCompletion ?? true });
  }

  /** Item success: call it after every uploaded file. Senders without a session send the dropsite's clientId as header. */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Post('success')
  @HttpCode(200)
  @ApiErrors(
    'unauthenticated',
    'client_mismatch',
    'not_found',
    'bucket_mismatch',
    'object_missing',
    'object_changed',
    'upload_completed',
    'too_many_bytes',
    'track_unreadable',
    'too_many_tracks',
    'storage_denied',
    'storage_unavailable',
  )
  async success(
    @CurrentCaller() caller: Caller | null,
    @Req() request: Request,
    @Input() { bucket, key, s3Key }: ItemSuccessDto,
  ): Promise<ItemSuccessResponse> {
    const { mediaContainerId, mediaId } = await this.completion.reportItem(this.senderOf(caller, request), {
      bucket,
      key: key ?? s3Key ?? '',
    });
    return { mediaContainerId, mediaId, status: 'successful' };
  }

  /** Complete: call it when all files of the batch are uploaded. It sends notifications and ends a dropsite session. */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Post('uploadComplete')
  @HttpCode(200)
  @ApiErrors(
    'unauthenticated',
    'client_mismatch',
    'not_found',
    'upload_preparing',
    'upload_completed',
    'too_many_bytes',
    'storage_denied',
    'storage_unavailable',
  )
  async uploadComplete(
    @CurrentCaller() caller: Caller | null,
    @Req() request: Request,
    @Input() { uploadId }: UploadIdDto,
  ): Promise<UploadCompleteResponse> {
    return await this.completion.complete(this.senderOf(caller, request), uploadId);
  }

  /**
   * Abandon: removes the items that have not arrived, with everything that was sent of them, keeps those that have, and ends the batch. What is sent
   * later with credentials that are still valid is removed, too. Senders without a session send the dropsite's clientId as header.
   */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Delete('upload/:uploadId')
  @ApiErrors('unauthenticated', 'client_mismatch', 'not_found')
  async abandon(
    @CurrentCaller() caller: Caller | null,
    @Req() request: Request,
    @Input() { uploadId }: UploadIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<AbandonedUploadResponse> {
    requireNoTag(ifMatch, `upload ${uploadId}`);
    return await this.abandonment.abandon(this.senderOf(caller, request), uploadId);
  }

  /** New credentials for one item of a batch that is not complete. */
  @AcceptsScope(DROPSITE_SCOPE)
  @Get('getUploadCredentials/:mediaId')
  @ApiErrors('upload_completed', 'too_many_bytes', 'storage_denied', 'storage_unavailable')
  async getUploadCredentials(@CurrentCaller() caller: Caller, @Input() { mediaId }: MediaIdDto): Promise<CredentialsResponse> {
    return await this.itemCredentials.issue(caller, mediaId);
  }

  private senderOf(caller: Caller | null, request: Request): Sender {
    return { caller, clientId: clientIdHeader(request, this.config.headerPrefixes) };
  }
}
