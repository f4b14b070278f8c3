import { type ArgumentsHost, Catch, Injectable, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { generalErrors } from '../errors.js';
import { ProblemFilter } from '../http/render-error.js';
import { Log } from '../logging/index.js';
import { ProblemPagesService } from './problem-pages.service.js';

/** Shows browsers a page with a way on for an address that no route answers; everything else gets the problem document of ProblemFilter. */
@Injectable()
@Catch(NotFoundException)
export class UnknownAddressFilter extends ProblemFilter {
  constructor(
    log: Log,
    host: HttpAdapterHost,
    private readonly pages: ProblemPagesService,
  ) {
    super(log, host);
  }

  override catch(error: NotFoundException, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const problem = this.explainMissingRoute(request);
    if (problem.code !== 'not_found' || request.accepts(['json', 'html']) !== 'html') return super.catch(error, host);
    this.pages.send(generalErrors.not_found('No page of this service has this address.'), request, response);
  }
}
