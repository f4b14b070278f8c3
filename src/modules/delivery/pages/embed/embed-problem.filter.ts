import type { ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request } from 'express';
import type { ErrorExtras } from '../../../../shared/errors/index.js';
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
  readonly mayHelpToSignIn: boolean;
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
    if (response.headersSent || !wantsPage(request)) return renderError(error, request, response, this.log);
    const { id: requestId } = request.context;
    const known = asDomainError(error);
    if (!known || (known !== error && known.kind === 'unavailable'))
      this.log.error({ err: error, requestId, url: request.url.split('?')[0] }, 'unexpected error');
    const { kind, code, detail, extras } = known ?? UNEXPECTED;
    if (extras.retryAfter !== undefined) response.setHeader('retry-after', extras.retryAfter);
    allowFraming(response, 'any'); // there is nothing in it to be misused, and a blocked frame would say nothing at all
    const shown = { title: detail, code, requestId, mayHelpToSignIn: code === 'auth_required', stylesheet: embedPageAssets.stylesheet };
    sendPage(response, kind ? statusOfKind(kind) : 500, this.pages.render<EmbedProblem>(PAGE, shown));
  }
}

/** Nobody expected this; the reason is for the log. */
const UNEXPECTED = { kind: null, code: 'internal', detail: 'Something went wrong here. Try again in a while.', extras: {} as ErrorExtras };
