import { Controller, Get, Param, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ObjectStorage, storageOrigin } from '../../../shared/storage/index.js';
import { Pages, ProblemPageFilter, ProblemPages, sendPage } from '../../../shared/web/index.js';
import { DropsiteEntrance } from '../dropsite-entrance.js';
import { describeClosing, describeLimits } from './describe-limits.js';
import { uploadPageAssets } from './upload-page-assets.js';
import type { UploadPage } from './upload-page-data.js';

const PAGE = new URL('./upload-page.eta', import.meta.url);

/** What somebody sees who opens the link of a dropsite. All that is uploaded goes through the API, by the page's scripts. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(ProblemPageFilter)
@Controller('d')
export class UploadPageController {
  constructor(
    private readonly entrance: DropsiteEntrance,
    private readonly storage: ObjectStorage,
    private readonly config: Config,
    private readonly pages: Pages,
    problems: ProblemPages,
  ) {
    problems.explain({ dropsite_expired: 'Ask whoever sent you the link for another one.' });
  }

  @Get(':link')
  async show(@Param('link') link: string, @Res() response: Response): Promise<void> {
    const dropsite = await this.entrance.enter(link, { clientId: null });
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
