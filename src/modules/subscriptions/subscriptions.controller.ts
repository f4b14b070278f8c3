import { Controller, Delete, Get, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type JsonObject, SentBody, type Tag, Tagged } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { linkToNext, sendList } from '../../shared/resources/index.js';
import { withIgnored } from '../../shared/validation/index.js';
import { DryRunsService } from './dry-runs.service.js';
import { ApiInstructions } from './instructions/instruction-kinds.js';
import { ReplaysService } from './runs/replays.service.js';
import {
  CreatedSubscriptionResponse,
  DeletedSubscriptionResponse,
  DryRunResponse,
  findIgnoredInput,
  ReplacedSubscriptionResponse,
  ReplayResponse,
  SubscriptionResponse,
} from './subscription.dto.js';
import {
  DryRunDto,
  FindSubscriptionsDto,
  GetSubscriptionDto,
  ReplaceSubscriptionDto,
  ReplayDto,
  ReplayFieldsDto,
  SubscriptionFieldsDto,
  SubscriptionIdDto,
  TemplateDto,
  TemplateFieldsDto,
} from './subscription-inputs.dto.js';
import { SubscriptionResponsesService } from './subscription-responses.service.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { SubscriptionTemplatesService } from './templates/subscription-templates.service.js';

const MAX_SUBSCRIPTIONS = 10_000;
const LOGS_OF_ONE = 100;
const LOGS_OF_MANY = 5;
/** One name for both meanings of the segment, because OpenAPI does not allow two paths that differ only in the name of a parameter. */
const ID = { name: 'idOrTemplate', type: 'integer', description: 'Id of a subscription.', example: 1 };
const NAMES = { idOrTemplate: 'id' };

@ApiTags('Subscriptions')
@ApiBearerAuth('oauth2')
@ApiInstructions()
@Controller('v5/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly responses: SubscriptionResponsesService,
    private readonly templates: SubscriptionTemplatesService,
    private readonly dryRuns: DryRunsService,
    private readonly replays: ReplaysService,
  ) {}

  /** Find the subscriptions of the customer that match all filters, each with the newest entries of its log. */
  @Get()
  @ApiOkResponse({ type: SubscriptionResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...search }: FindSubscriptionsDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: search.id, limit, cursor, wholeUpTo: MAX_SUBSCRIPTIONS }, async (portion) => {
      const found = await this.subscriptions.list(caller, { ...search, ...portion });
      return await this.responses.toMany(found, { limit: LOGS_OF_MANY });
    });
  }

  /** One subscription with its log, a page at a time. */
  @Get(':idOrTemplate')
  @ApiParam(ID)
  @ApiErrors('id_mismatch', 'not_found')
  async get(
    @CurrentCaller() caller: Caller,
    @Input(NAMES) { id, limit: wanted, cursor }: GetSubscriptionDto,
    @Res({ passthrough: true }) response: Response,
    @Tagged() tag: Tag,
  ): Promise<SubscriptionResponse> {
    const limit = wanted ?? LOGS_OF_ONE; // null in a body counts as absent
    const subscription = await this.subscriptions.get(caller, id);
    const { answer, next } = await this.responses.toPage(subscription, { limit, before: cursor });
    if (next !== undefined) linkToNext(response, limit, next);
    return tag.set(subscription, answer);
  }

  /** Create a subscription. Its instructions act on behalf of the caller. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiBody({ type: SubscriptionFieldsDto })
  @ApiErrors('mail_not_configured', 'quota_exceeded', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: SubscriptionFieldsDto,
    @SentBody() sent: JsonObject,
    @Tagged() tag: Tag,
  ): Promise<CreatedSubscriptionResponse> {
    const created = await this.subscriptions.create(caller, input);
    return tag.set(created.subscription, withIgnored(this.responses.toCreated(created), findIgnoredInput(sent)));
  }

  /** Dry run: return which subscriptions would act on an event, and why the others would not. Nothing is carried out. */
  @Post('dryRun')
  @HttpCode(200)
  @ApiBody({ type: DryRunDto })
  async dryRun(@CurrentCaller() caller: Caller, @Input() { event }: DryRunDto): Promise<DryRunResponse[]> {
    return (await this.dryRuns.run(caller, event)).map(({ reasons, ...answer }) => ({ ...answer, reasons: [...reasons] }));
  }

  /**
   * Create a subscription from a template: createDownloadLink creates a download link once the file of a media container has arrived, and mails it;
   * dropsiteUploadStarted mails the caller when an upload to one of their dropsites starts.
   */
  @Post(':idOrTemplate')
  @RefusesSupportAccess()
  @Idempotent()
  @ApiParam({ name: 'idOrTemplate', enum: ['createDownloadLink', 'dropsiteUploadStarted'] })
  @ApiBody({ type: TemplateFieldsDto })
  @ApiErrors('in_trash', 'mail_not_configured', 'not_found', 'quota_exceeded', 'support_access_denied')
  async createFromTemplate(
    @CurrentCaller() caller: Caller,
    @Input({ idOrTemplate: 'template' }) { template, payload }: TemplateDto,
    @SentBody() sent: JsonObject,
    @Tagged() tag: Tag,
  ): Promise<CreatedSubscriptionResponse> {
    const created = await this.templates.create(caller, template, payload);
    return tag.set(created.subscription, withIgnored(this.responses.toCreated(created), this.templates.findIgnored(template, sent)));
  }

  /** Repeat the attempt of a log entry with the same message id, whether it failed or not. */
  @Post(':id/replay')
  @HttpCode(200)
  @ApiParam({ ...ID, name: 'id' })
  @ApiBody({ type: ReplayFieldsDto })
  @ApiErrors('id_mismatch', 'not_for_instructions', 'not_found', 'run_gone', 'run_under_way')
  async replay(@CurrentCaller() caller: Caller, @Input() { id, logId }: ReplayDto): Promise<ReplayResponse> {
    return await this.replays.replay(caller, { id, logId });
  }

  /**
   * Replace a subscription; `********` keeps a secret at its place, in an instruction with the same destination (in a payload: if nothing else of
   * the payload changes). A subscription that acts once and has acted may act again.
   */
  @Put(':idOrTemplate')
  @RefusesSupportAccess()
  @ApiParam(ID)
  @ApiBody({ type: SubscriptionFieldsDto })
  @ApiErrors('id_mismatch', 'mail_not_configured', 'not_found', 'support_access_denied')
  async replace(
    @CurrentCaller() caller: Caller,
    @Input(NAMES) input: ReplaceSubscriptionDto,
    @SentBody() sent: JsonObject,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<ReplacedSubscriptionResponse> {
    const replaced = await this.subscriptions.replace(caller, { ...input, ifMatch });
    const answer = await this.responses.toReplaced(replaced, { limit: LOGS_OF_ONE });
    return tag.set(replaced.subscription, withIgnored(answer, findIgnoredInput(sent)));
  }

  /** Replace a subscription whose id is in the body. */
  @Put()
  @RefusesSupportAccess()
  @ApiBody({ type: ReplaceSubscriptionDto })
  @ApiErrors('mail_not_configured', 'not_found', 'support_access_denied')
  async replaceByBody(
    @CurrentCaller() caller: Caller,
    @Input() input: ReplaceSubscriptionDto,
    @SentBody() sent: JsonObject,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<ReplacedSubscriptionResponse> {
    return await this.replace(caller, input, sent, ifMatch, tag);
  }

  /** Delete a subscription, its log, and its runs that have not ended. */
  @Delete(':idOrTemplate')
  @ApiParam(ID)
  @ApiErrors('id_mismatch', 'not_found')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input(NAMES) { id }: SubscriptionIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedSubscriptionResponse> {
    await this.subscriptions.delete(caller, { id, ifMatch });
    return { id };
  }

  /** Delete a subscription whose id is in the body. */
  @Delete()
  @ApiBody({ type: SubscriptionIdDto })
  @ApiErrors('not_found')
  async deleteByBody(
    @CurrentCaller() caller: Caller,
    @Input() input: SubscriptionIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedSubscriptionResponse> {
    return await this.delete(caller, input, ifMatch);
  }
}
