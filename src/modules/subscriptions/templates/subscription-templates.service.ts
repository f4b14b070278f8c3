import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors.js';
import type { IgnoredInputResponse } from '../../../shared/validation/index.js';
import type { CreatedSubscription } from '../subscriptions.service.js';
import { DownloadLinkTemplateService } from './download-link-template.service.js';
import { DropsiteUploadTemplateService } from './dropsite-upload-template.service.js';

/** A subscription that is created from a few parameters. */
interface Template {
  create(caller: Caller, payload: unknown): Promise<CreatedSubscription>;
  /** The parts of an accepted payload that have no effect, and why; `sent` is the whole body. */
  findIgnored(sent: { readonly payload?: unknown }): IgnoredInputResponse[];
}

/** The templates of subscriptions, by their names. */
@Injectable()
export class SubscriptionTemplatesService {
  private readonly byName: ReadonlyMap<string, Template>;

  constructor(downloadLink: DownloadLinkTemplateService, dropsiteUpload: DropsiteUploadTemplateService) {
    this.byName = new Map<string, Template>([
      ['createDownloadLink', downloadLink],
      ['dropsiteUploadStarted', dropsiteUpload],
    ]);
  }

  /**
   * Creates a subscription from a template. Throws `not_found` for an unknown template, `validation_failed` for an unsuitable payload, and what
   * SubscriptionsService throws.
   */
  async create(caller: Caller, name: string, payload: unknown): Promise<CreatedSubscription> {
    const template = this.byName.get(name);
    if (template) return await template.create(caller, payload);
    throw generalErrors.not_found(`There is no such template; the templates are ${[...this.byName.keys()].join(' and ')}.`);
  }

  /** The unused parts of a body from which `create` made a subscription. */
  findIgnored(name: string, sent: { readonly payload?: unknown }): IgnoredInputResponse[] {
    return this.byName.get(name)?.findIgnored(sent) ?? [];
  }
}
