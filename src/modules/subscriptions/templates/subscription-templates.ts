import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import type { IgnoredInputResponse } from '../../../shared/validation/index.js';
import type { CreatedSubscription } from '../management/subscriptions.service.js';
import { DownloadLinkTemplate } from './download-link-template.js';
import { DropsiteUploadTemplate } from './dropsite-upload-template.js';

/** A subscription that is made of a few words. */
interface Template {
  create(caller: Caller, payload: unknown): Promise<CreatedSubscription>;
  /** What of a payload that was taken has no effect, and why; `sent` is the whole body. */
  findIgnored(sent: { readonly payload?: unknown }): IgnoredInputResponse[];
}

/** The templates of subscriptions, by their names. */
@Injectable()
export class SubscriptionTemplates {
  private readonly byName: ReadonlyMap<string, Template>;

  constructor(downloadLink: DownloadLinkTemplate, dropsiteUpload: DropsiteUploadTemplate) {
    this.byName = new Map<string, Template>([
      ['createDownloadLink', downloadLink],
      ['dropsiteUploadStarted', dropsiteUpload],
    ]);
  }

  /** Throws `not_found` for an unknown template, `validation_failed` for what it cannot be made of, and what SubscriptionsService throws. */
  async create(caller: Caller, name: string, payload: unknown): Promise<CreatedSubscription> {
    const template = this.byName.get(name);
    if (template) return await template.create(caller, payload);
    throw generalErrors.not_found(`There is no such template; there are ${[...this.byName.keys()].join(' and ')}.`);
  }
  /** Of a body from which `create` made a subscription. */
  findIgnored(name: string, sent: { readonly payload?: unknown }): IgnoredInputResponse[] {
    return this.byName.get(name)?.findIgnored(sent) ?? [];
  }
}
