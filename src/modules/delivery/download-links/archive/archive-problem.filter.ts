import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { renderError } from '../../../../shared/http/index.js';
import { Log } from '../../../../shared/logging/index.js';
import { ProblemPagesService } from '../../../../shared/web/index.js';

/** Browsers get the reason as a page, as the pages of download links do; other clients get a problem document. */
@Catch()
export class ArchiveProblemFilter implements ExceptionFilter {
  constructor(
    private readonly pages: ProblemPagesService,
    private readonly log: Log,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    if (!response.headersSent && request.accepts(['json', 'html']) === 'html') this.pages.send(error, request, response);
    else renderError(error, request, response, this.log);
  }
}
