import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { IgnoresCredentials, Public } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { generalErrors } from '../../shared/errors.js';
import { mediaOrigins, ObjectStorage, storageOrigin } from '../../shared/storage/index.js';
import { publishFolder, sendPage } from '../../shared/web/index.js';
import { BUILD, hasConsole, PAGE } from './console-build.js';

/** The nonce that console/vite.config.ts writes into the page; each response has its own in its place. */
const NONCE = '__CSP_NONCE__';
/** Where the page gets to know NODE_ENV: in production it does not show /console/elements, the page for those who change the console. */
const ENVIRONMENT = '__ENVIRONMENT__';
/** Where it gets to know PUBLIC_URL: it leads people there who opened it at another address, at which they could not sign in. */
const PUBLIC_URL = '__PUBLIC_URL__';

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
    this.page = hasConsole(config) ? readPage().replace(ENVIRONMENT, config.nodeEnv).replace(PUBLIC_URL, config.publicUrl) : null;
  }

  /**
   * `path`: the segments below /console.
   * @throws DomainError 404 `not_found` if the console is turned off or was not built, and for a file that the build does not have (any more): a window that
   * was opened before an upgrade asks for the modules of the version before
   */
  @Get(['', '*path'])
  show(@Param('path') path: readonly string[] | undefined, @Res() response: Response): void {
    if (!this.page) throw generalErrors.not_found('This installation has no console.');
    if (path?.[0] === 'assets') throw generalErrors.not_found('This version of the console has no such file.');
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

/** Publishes the files of the build below /console/assets/; returns its page. */
function readPage(): string {
  publishFolder('/console/assets', new URL('assets/', BUILD), { hasHashedNames: true });
  return readFileSync(PAGE, 'utf8');
}
