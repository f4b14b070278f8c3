import { Controller, Get, Param, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ObjectStorage, storageOrigin } from '../../../shared/storage/index.js';
import { Pages, ProblemPageFilter, ProblemPages, sendPage } from '../../../shared/web/index.js';
import { DropsiteEntranceService } from '../dropsite-entrance.service.js';
import { describeClosing, describeLimits } from './describe-limits.js';
import { uploadPageAssets } from './upload-page-assets.js';

const PAGE = new URL('./upload-page.eta', import.meta.url);

/** The data of upload-page.eta. Every text may come from strangers; the template escapes it. */
export interface UploadPage {
  /** Name of the dropsite. */
  readonly title: string;
  readonly description: string;
  readonly link: string;
  readonly requiresPassword: boolean;
  readonly allowAnonymous: boolean;
  readonly allowedTypes: readonly string[];
  readonly maxItemsPerDay: number | null;
  readonly maxBytesPerDay: number | null;
  /** The previous three in words; empty without limits. */
  readonly limits: string;
  /** When it expires, as ISO 8601 and in words in UTC; null: it never expires. */
  readonly closing: { readonly at: string; readonly text: string } | null;
  /** URLs of the page's own style and scripts. */
  readonly stylesheet: string;
  readonly script: string;
  readonly modules: readonly string[];
}

/** The page behind the link of a dropsite. Its scripts upload through the API. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(ProblemPageFilter)
@Controller('d')
export class UploadPageController {
  constructor(
    private readonly entrance: DropsiteEntranceService,
    private readonly storage: ObjectStorage,
    private readonly config: Config,
    private readonly pages: Pages,
    problems: ProblemPages,
  ) {
    problems.explain({ dropsite_expired: 'Ask the person who sent you the link for another one.' });
  }

  @Get(':link')
  async show(@Param('link') link: string, @Res() response: Response): Promise<void> {
    const dropsite = await this.entrance.findOpen(link, { clientId: null });
    const { name: title, description, passwordHash, allowAnonymous, allowedTypes, maxItemsPerDay, maxBytesPerDay, expiresAt } = dropsite;
    const html = this.pages.render<UploadPage>(PAGE, {
      ...{ title, description, link: dropsite.link, allowAnonymous, allowedTypes, maxItemsPerDay, maxBytesPerDay },
      requiresPassword: passwordHash !== null,
      limits: describeLimits({ ...dropsite, expiresAt: null }),
      closing: expiresAt && { at: expiresAt.toISOString(), text: describeClosing(expiresAt) },
      ...uploadPageAssets,
    });
    const accelerated = this.config.s3TransferAcceleration;
    sendPage(response, 200, html, { connectSrc: [storageOrigin(this.storage.location, { accelerated })], workers: true });
  }
}
