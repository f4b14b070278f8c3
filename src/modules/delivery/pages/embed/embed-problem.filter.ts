import type { ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request } from 'express';
import { asDomainError, renderError, statusOfKind } from '../../../../shared/http/index.js';
import { Log } from '../../../../shared/logging/index.js';
import { allowFraming, Pages, sendPage } from '../../../../shared/web/index.js';
import { embedPageAssets } from './embed-page-assets.js';
import { wantsPage } from './wants-page.js';

const PAGE = new URL('./embed-problem.eta', import.meta.url);

/** embed-problem.eta */
interface EmbedProblem {
  /** One sentence. */
  readonly title: string;
  readonly code: string;
  readonly requestId: string;
  readonly stylesheet: string;
}

/** A refusal in the place of a player: one sentence that fits into a small frame; for clients a problem document. */
@Catch()
export class EmbedProblemFilter implements ExceptionFilter {
  constructor(
    private readonly pages: Pages,
    private readonly log: Log,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const known = asDomainError(error);
    if (!known || response.headersSent || !wantsPage(request)) return renderError(error, request, response, this.log);
    const { retryAfter } = known.extras;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    allowFraming(response, 'any'); // there is nothing in it to be misused, and a blocked frame would say nothing at all
    const shown = { title: known.detail, code: known.code, requestId: request.context.id, stylesheet: embedPageAssets.stylesheet };
    sendPage(response, statusOfKind(known.kind), this.pages.render<EmbedProblem>(PAGE, shown));
  }
}
