import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { findUnknownMembers, type IgnoredInputResponse, refuseInvalid } from '../../../shared/validation/index.js';
import { DropsitesService } from '../../dropsites/index.js';
import { problem, shape, text } from '../instructions/json-rules.js';
import { FLAGS } from '../subscription.entity.js';
import { type CreatedSubscription, SubscriptionsService } from '../subscriptions.service.js';

const MAX_LINK = 100;

const rule = shape({ optional: { link: text({ max: MAX_LINK }) } });

/** A subscription that mails the caller when an upload starts to one of their dropsites, or to the dropsite of one link. */
@Injectable()
export class DropsiteUploadTemplateService {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly dropsites: DropsitesService,
  ) {}

  /** Creates the subscription. Throws `validation_failed` for a link that does not belong to a dropsite of the caller. */
  async create(caller: Caller, input: unknown): Promise<CreatedSubscription> {
    const given = input ?? {};
    refuseInvalid(rule(given, 'payload'));
    const { link } = given as { readonly link?: string | null };
    const dropsite = typeof link === 'string' ? await this.dropsites.findForOwner(caller.userId, link) : null;
    if (typeof link === 'string' && !dropsite)
      refuseInvalid(problem('payload.link', 'not_found', 'is not the link of a dropsite of yours'));
    return await this.subscriptions.create(caller, {
      name: 'event:dropsiteUploadStarted',
      flag: FLAGS.recurring,
      conditions: { payload: { ...(dropsite && { link: dropsite.link }), ownerId: caller.userId } },
      instructions: [
        {
          type: 'email',
          template: 'dropsiteUploadStarted',
          ...(dropsite && { parameters: { dropsiteName: dropsite.name } }),
          to: [{ recipient: ':owner.email' }], // :user would be the last editor of the subscription
        },
      ],
    });
  }

  findIgnored(sent: object): IgnoredInputResponse[] {
    return findUnknownMembers(sent, { payload: { link: true } }, ['template']);
  }
}
