import { Controller, Get, Param, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ObjectStorage, storageOrigin } from '../../../shared/storage/index.js';
import {
  PagesService,
  ProblemPageFilter,
  ProblemPagesService,
  packageFile,
  pageFilesIn,
  publishAssets,
  sendPage,
  sharedModules,
} from '../../../shared/web/index.js';
import { DropsiteEntranceService } from '../dropsite-entrance.service.js';
import { describeClosing, describeLimits } from './describe-limits.js';

const PAGE = new URL('./upload-page.eta', import.meta.url);

/** The data of upload-page.eta. No text is trusted; the template escapes all of them. */
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
  /** The limits in words; empty if there are none. */
  readonly limits: string;
  /** The time of expiry, as ISO 8601 and in words in UTC; null: it never expires. */
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
    private readonly pages: PagesService,
    problems: ProblemPagesService,
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
      limits: describeLimits(dropsite),
      closing: expiresAt && { at: expiresAt.toISOString(), text: describeClosing(expiresAt) },
      ...uploadPageAssets,
    });
    const accelerated = this.config.s3TransferAcceleration;
    sendPage(response, 200, html, { connectSrc: [storageOrigin(this.storage.location, { accelerated })], workers: true });
  }
}

const NOBLE = ['sha2.js', '_md.js', '_u64.js', 'utils.js'];
const WORKER = 'checksum-worker.js';

const sdk = new URL('dist/', packageFile('@media-delivery/sdk/package.json', './'));

const files = {
  ...pageFilesIn(new URL('./browser/', import.meta.url)),
  ...pageFilesIn(new URL('uploader/', sdk), 'vendor/sdk/uploader/'),
  'vendor/sdk/problem-error.js': new URL('problem-error.js', sdk),
  'vendor/sdk/shared-work.js': new URL('shared-work.js', sdk),
  'vendor/aws4fetch.js': packageFile('aws4fetch', './aws4fetch.esm.mjs'),
  ...sharedModules,
  ...Object.fromEntries(NOBLE.map((name) => [`vendor/noble/${name}`, packageFile('@noble/hashes/sha2.js', `./${name}`)])),
};

/** The URL of a file of the page's browser code. */
const urlOf = publishAssets('upload-page', {
  files,
  packages: {
    '@media-delivery/sdk/uploader': 'vendor/sdk/uploader/index.js',
    aws4fetch: 'vendor/aws4fetch.js',
    '@noble/hashes/sha2.js': 'vendor/noble/sha2.js',
  },
});

/** The files that the page loads. `modules`: everything that the script imports, so that the browser fetches them in parallel. */
const uploadPageAssets = {
  script: urlOf('upload-page.js'),
  stylesheet: urlOf('upload-page.css'),
  modules: Object.keys(files)
    .filter((name) => name.endsWith('.js') && name !== WORKER && !name.startsWith('vendor/noble/'))
    .map(urlOf),
};
