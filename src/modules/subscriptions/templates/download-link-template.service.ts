import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import type { FieldProblem } from '../../../shared/errors.js';
import { findUnknownMembers, type IgnoredInputResponse, refuseInvalid } from '../../../shared/validation/index.js';
import { DownloadLinksService, findIgnoredTemplate, refuseDownloadLink } from '../../delivery/index.js';
import { FormatReaderService } from '../../formats/index.js';
import { MediaReaderRepository, type MediaType } from '../../media/index.js';
import { recipientRule } from '../instructions/email/email-instruction.js';
import { listOf, problem, shape, wholeNumber } from '../instructions/json-rules.js';
import { FLAGS } from '../subscription.entity.js';
import { type CreatedSubscription, SubscriptionsService } from '../subscriptions.service.js';
import { ArrivedFileRunsJob } from './arrived-file-runs.job.js';

const MAX_FORMATS = 100; // as many as a download link accepts
const MAX_RECEIVERS = 50; // as many as an email instruction accepts

const rule = shape({
  required: { mediaContainerId: wholeNumber(1) },
  optional: {
    templateId: wholeNumber(0),
    formatIds: listOf(wholeNumber(1), { max: MAX_FORMATS, unique: true }),
    receiver: listOf(recipientRule, { min: 0, max: MAX_RECEIVERS }),
  },
});

interface Payload {
  readonly mediaContainerId: number;
  readonly templateId?: number | null;
  readonly formatIds?: readonly number[] | null;
  readonly receiver?: readonly { readonly recipient: string; readonly language?: string | null }[] | null;
}

/** A subscription that creates a download link once the file of a container has arrived, and mails it to its receivers. */
@Injectable()
export class DownloadLinkTemplateService {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly runs: ArrivedFileRunsJob,
    private readonly links: DownloadLinksService,
    private readonly media: MediaReaderRepository,
    private readonly formats: FormatReaderService,
    private readonly database: Database,
  ) {}

  /**
   * Creates the subscription, which acts at once if the file has already arrived. Throws `validation_failed` or `in_trash`, with paths inside
   * `payload`.
   */
  async create(caller: Caller, input: unknown): Promise<CreatedSubscription> {
    refuseInvalid(rule(input, 'payload'));
    const payload = input as Payload;
    const formatIds = payload.formatIds ?? (await this.originalOf(caller, payload));
    const { mediaContainerId } = payload;
    const problems = await this.links.findProblems({ customerId: caller.customerId, mediaContainerIds: [mediaContainerId], formatIds });
    refuseDownloadLink(problems.map(inPayload));
    return await this.database.transaction(async () => {
      const created = await this.subscriptions.create(caller, toSubscription({ ...payload, formatIds }));
      await this.runs.schedule(created.subscription, mediaContainerId);
      return created;
    });
  }

  findIgnored(sent: { readonly payload?: unknown }): IgnoredInputResponse[] {
    const { mediaContainerId, templateId, formatIds, receiver } = sent.payload as Payload;
    const receivers = receiver?.map(({ recipient, language }) => ({ recipient, language }));
    const taken = { payload: { mediaContainerId, templateId, formatIds, receiver: receivers } };
    return [...findUnknownMembers(sent, taken, ['template']), ...findIgnoredTemplate(templateId, 'payload.templateId')];
  }

  /** The format of the original, which is what has arrived. */
  private async originalOf({ customerId }: Caller, { mediaContainerId }: Payload): Promise<number[]> {
    const container = await this.media.findContainer(customerId, mediaContainerId);
    if (!container) return []; // DownloadLinksService.findProblems reports its absence
    const ids: Partial<Record<string, number>> = (await this.formats.originalIds()) satisfies Record<MediaType, number>;
    const id = ids[container.type];
    if (id === undefined) refuseInvalid(problem('payload.formatIds', 'required', `is required for a container of type ${container.type}`));
    return id === undefined ? [] : [id];
  }
}

const inPayload = ({ path, ...rest }: FieldProblem): FieldProblem => ({
  ...rest,
  path: `payload.${path.replace('mediaContainerIds.0', 'mediaContainerId')}`,
});

function toSubscription({ mediaContainerId, templateId, formatIds, receiver }: Payload) {
  const link = { mediaContainerIds: [mediaContainerId], formatIds, ...(templateId ? { templateId } : {}) };
  const parameters = { url: '/l/:downloadLink.link', senderName: ':user.firstname :user.lastname' };
  return {
    name: 'event:s3success',
    flag: FLAGS.once,
    conditions: { methods: ['create'], payload: { mediaContainerId, role: null } }, // not for a track that arrives before the original
    instructions: [
      { type: 'api', method: 'POST', path: 'v5/downloadlink', payload: link, as: 'downloadLink' },
      ...(receiver?.length ? [{ type: 'email', template: 'downloadLink', parameters, to: receiver }] : []),
    ],
    notes: '',
  };
}
