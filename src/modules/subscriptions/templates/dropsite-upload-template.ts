import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { findUnknownMembers, type IgnoredInputResponse, refuseInvalid } from '../../../shared/validation/index.js';
import { DropsiteReader } from '../../dropsites/index.js';
import { problem } from '../management/rules/rule.js';
import { shape } from '../management/rules/shape.js';
import { text } from '../management/rules/text.js';
import { type CreatedSubscription, SubscriptionsService } from '../management/subscriptions.service.js';
import { FLAGS } from '../subscription.entity.js';

const MAX_LINK = 100;

const rule = shape({ optional: { link: text({ max: MAX_LINK }) } });

/** A mail to the caller whenever somebody begins to upload to one of their dropsites, or to the one of a link. */
@Injectable()
export class DropsiteUploadTemplate {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly dropsites: DropsiteReader,
  ) {}

  /** Throws `validation_failed` for a link that is none of a dropsite of the caller. */
  async create(caller: Caller, input: unknown): Promise<CreatedSubscription> {
    const given = input ?? {};
    refuseInvalid(rule(given, 'payload'));
    const { link } = given as { readonly link?: string | null };
    const dropsite = typeof link === 'string' ? await this.dropsites.findOfOwner(caller.userId, link) : null;
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
          to: [{ recipient: ':owner.email' }], // not :user, who is whoever changed the subscription last
        },
      ],
    });
  }
  findIgnored(sent: object): IgnoredInputResponse[] {
    return findUnknownMembers(sent, { payload: { link: true } }, ['template']);
  }
}
