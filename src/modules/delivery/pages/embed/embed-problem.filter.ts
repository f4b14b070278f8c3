import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../../shared/config/index.js';
import type { ErrorExtras } from '../../../../shared/errors.js';
import { asDomainError, renderError, statusOfKind } from '../../../../shared/http/index.js';
import { Log } from '../../../../shared/logging/index.js';
import { allowFraming, PagesService, sendPage } from '../../../../shared/web/index.js';
import { hostName } from '../../decision/host-names.js';
import { ViewerTokensService } from '../../gate/viewer-tokens.service.js';
import { pageUrl } from '../delivery-urls.js';
import { embedPageAssets } from './embed-page-assets.js';

const PAGE = new URL('./embed-problem.eta', import.meta.url);

/** The data of embed-problem.eta. */
interface EmbedProblem {
  /** One sentence. */
  readonly title: string;
  readonly code: string;
  readonly requestId: string;
  /** The sign-in that returns to the player; null: signing in would not help. */
  readonly signInUrl: string | null;
  readonly stylesheet: string;
  /** For a frame on a page that the rules allow (DeliveryGateService.findAdmission); null for other requests. */
  readonly admission: string | null;
  readonly script: string;
}

/** Shows a refusal in place of the player as one sentence that fits into a small frame; other clients get a problem document. */
@Catch()
export class EmbedProblemFilter implements ExceptionFilter {
  constructor(
    private readonly config: Config,
    private readonly pages: PagesService,
    private readonly tokens: ViewerTokensService,
    private readonly log: Log,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent || !wantsPage(request)) return renderError(error, request, response, this.log);
    const { id: requestId } = request.context;
    const known = asDomainError(error);
    if (!known || (known !== error && known.kind === 'unavailable'))
      this.log.error({ err: error, requestId, url: request.url.split('?')[0] }, 'unexpected error');
    const { kind, code, detail, extras } = known ?? UNEXPECTED;
    if (extras.retryAfter !== undefined) response.setHeader('retry-after', extras.retryAfter);
    allowFraming(response, 'any'); // a blocked frame would show no reason; the sign-in opens in a separate window
    const signInUrl = code === 'auth_required' ? this.signInUrl(request) : null;
    const admission = typeof response.locals.admission === 'string' ? response.locals.admission : null;
    const { stylesheet, signInScript: script } = embedPageAssets;
    const shown = { title: detail, code, requestId, signInUrl, admission, stylesheet, script };
    sendPage(response, kind ? statusOfKind(kind) : 500, this.pages.render<EmbedProblem>(PAGE, shown));
  }

  /** On the host of PUBLIC_URL, where the session cookie is sent; a viewer on another host gets a way back to it. */
  private signInUrl({ params, context }: Request): string {
    const { publicUrl } = this.config;
    const link = String(params.link);
    const url = `${pageUrl(publicUrl, link)}/sign-in`;
    if (hostName(context.host) === hostName(new URL(publicUrl).host)) return url;
    return `${url}?from=${this.tokens.issueWayBack({ link, address: context.clientAddress }, context.host)}`;
  }
}

/** The page for an unexpected error; only the log contains the reason. */
const UNEXPECTED = { kind: null, code: 'internal', detail: 'Something went wrong here. Try again later.', extras: {} as ErrorExtras };

/** Whether to answer with a page: yes for browsers and for clients that accept anything, no for clients that prefer JSON. */
export const wantsPage = (request: Request): boolean => request.accepts(['html', 'json']) !== 'json';
