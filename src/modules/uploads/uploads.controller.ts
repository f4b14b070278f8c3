import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiExtraModels, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AcceptsScope, type Caller, CurrentCaller, DROPSITE_SCOPE, Public } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { ApiClientId, ApiErrors, clientIdHeader, Input } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import type { Sender } from './batches/sender.js';
import { UploadCompletion } from './completion/upload-completion.js';
import { CreateUploadDto } from './create-upload.dto.js';
import { ItemCredentials } from './credentials/item-credentials.js';
import { ItemSuccessDto, ItemSuccessResponse } from './item-success.dto.js';
import { MediaIdDto } from './media-id.dto.js';
import { ownUpload } from './own-upload.js';
import { UploadPreparation } from './preparation/upload-preparation.js';
import { UploadCompleteDto, UploadCompleteResponse } from './upload-complete.dto.js';
import { CredentialsResponse, PreparedUploadResponse, UploadDocumentResponse } from './upload-document.dto.js';

@ApiTags('Uploads')
@ApiBearerAuth('oauth2')
@ApiExtraModels(PreparedUploadResponse) // jobResult refers to it
@Controller('v5/s3')
export class UploadsController {
  constructor(
    private readonly preparation: UploadPreparation,
    private readonly completion: UploadCompletion,
    private readonly itemCredentials: ItemCredentials,
    private readonly config: Config,
  ) {}

  /** Prepare upload: answers where each file goes and with which credentials. The same request again refreshes the credentials. */
  @Post('createUpload')
  @Idempotent()
  @HttpCode(200)
  @ApiBody({ type: CreateUploadDto })
  @ApiErrors('upload_id_conflict', 'upload_completed', 'storage_denied', 'storage_unavailable')
  async createUpload(@CurrentCaller() caller: Caller, @Input() input: CreateUploadDto): Promise<UploadDocumentResponse> {
    return (await this.preparation.prepare(ownUpload(caller, input))) as UploadDocumentResponse;
  }

  /** Item success: to be called after every uploaded file. Senders without a session send the dropsite's clientId as header. */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Post('success')
  @HttpCode(200)
  @ApiBody({ type: ItemSuccessDto })
  @ApiErrors(
    'unauthenticated',
    'client_mismatch',
    'not_found',
    'bucket_mismatch',
    'object_missing',
    'storage_denied',
    'storage_unavailable',
  )
  async success(
    @CurrentCaller() caller: Caller | null,
    @Req() request: Request,
    @Input() { bucket, key, s3Key }: ItemSuccessDto,
  ): Promise<ItemSuccessResponse> {
    const item = await this.completion.succeed(this.sender(caller, request), { bucket, key: key ?? s3Key ?? '' });
    return { ...item, status: 'successful' };
  }

  /** Complete: to be called when all files of the batch are uploaded; it sets off notifications and ends a dropsite session. */
  @Public()
  @ApiClientId()
  @AcceptsScope(DROPSITE_SCOPE)
  @Post('uploadComplete')
  @HttpCode(200)
  @ApiBody({ type: UploadCompleteDto })
  @ApiErrors('unauthenticated', 'client_mismatch', 'not_found', 'upload_preparing')
  async uploadComplete(
    @CurrentCaller() caller: Caller | null,
    @Req() request: Request,
    @Input() { uploadId }: UploadCompleteDto,
  ): Promise<UploadCompleteResponse> {
    return { ...(await this.completion.complete(this.sender(caller, request), uploadId)) } as UploadCompleteResponse;
  }

  /** New credentials for one item of a batch that is not complete. */
  @AcceptsScope(DROPSITE_SCOPE)
  @Get('getUploadCredentials/:mediaId')
  @ApiParam({ name: 'mediaId', type: 'integer', example: 12 })
  @ApiErrors('upload_completed', 'storage_denied', 'storage_unavailable')
  async getUploadCredentials(@CurrentCaller() caller: Caller, @Input() { mediaId }: MediaIdDto): Promise<CredentialsResponse> {
    return await this.itemCredentials.issue(caller, mediaId);
  }

  private sender(caller: Caller | null, request: Request): Sender {
    return { caller, clientId: clientIdHeader(request, this.config.headerPrefixes) };
  }
}
