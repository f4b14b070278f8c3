import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { IgnoresCredentials, Public } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { generalErrors } from '../../shared/errors.js';
import { mediaOrigins, ObjectStorage, storageOrigin } from '../../shared/storage/index.js';
import { packageFile, publishFolder, sendPage } from '../../shared/web/index.js';

const BUILD = packageFile('@media-delivery/console/package.json', 'dist/');
/** The nonce that console/vite.config.ts writes into the page; each response has its own in its place. */
const NONCE = '__CSP_NONCE__';

/** The page of the console: one document at all of its addresses, whose script decides what to show. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@Controller('console')
export class ConsoleController {
  private readonly page: string | null;

  constructor(
    private readonly config: Config,
    private readonly storage: ObjectStorage,
  ) {
    this.page = config.console === 'on' ? readPage() : null;
  }

  /** @throws DomainError 404 `not_found` if the console is turned off or was not built */
  @Get(['', '*path'])
  show(@Res() response: Response): void {
    if (!this.page) throw generalErrors.not_found('This installation has no console.');
    const nonce = randomBytes(16).toString('base64');
    const origins = mediaOrigins(this.storage.location, this.config);
    const accelerated = this.config.s3TransferAcceleration;
    sendPage(response, 200, this.page.replaceAll(NONCE, nonce), {
      styleNonce: nonce,
      imgSrc: [...origins, new URL(this.config.cdnUrl).origin],
      mediaSrc: origins,
      objectSrc: [], // frames of this service: the pages that viewers get
      connectSrc: [...origins, storageOrigin(this.storage.location, { accelerated })],
    });
  }
}

/** Publishes the files of the build below /console/assets/; returns its page, or null if there is no build. */
function readPage(): string | null {
  const page = new URL('index.html', BUILD);
  if (!existsSync(page)) return null;
  const assets = new URL('assets/', BUILD);
  if (readdirSync(assets).length > 0) publishFolder('/console/assets', assets, { hasHashedNames: true });
  return readFileSync(page, 'utf8');
}
