import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { asDomainError, statusOfKind } from '../http/render-error.js';
import { Log } from '../logging/index.js';
import { PagesService, sendPage } from './pages.service.js';

const PAGE = new URL('./problem.eta', import.meta.url);

const TITLES: Readonly<Record<string, string>> = { not_found: 'There is nothing here' };

/** The data of problem.eta. */
interface ProblemPage {
  readonly title: string;
  readonly message: string;
  /** What the person can do about the problem. */
  readonly hint: string | null;
  /** An address of this service at which the person can go on. */
  readonly wayOn: WayOn | null;
  readonly code: string;
  readonly requestId: string;
}

interface WayOn {
  /** The path of a page of this service. */
  readonly url: string;
  readonly text: string;
}

interface Shown {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Renders error pages for people, for cases in which the browser cannot be redirected. */
@Injectable()
export class ProblemPagesService {
  private readonly hints = new Map([['rate_limited', 'Wait a moment, then go back and try again.']]);
  private readonly waysOn = new Map<string, WayOn>([['not_found', { url: '/', text: 'Go to the start page' }]]);

  constructor(
    private readonly pages: PagesService,
    private readonly log: Log,
  ) {}

  /** Registers hints, by error code, about what a person can do; register before the application starts. */
  explain(hints: Readonly<Record<string, string>>): void {
    for (const [code, hint] of Object.entries(hints)) this.hints.set(code, hint);
  }

  /** Registers a link for an error code at which a person can go on; register before the application starts. */
  lead(code: string, wayOn: WayOn): void {
    this.waysOn.set(code, wayOn);
  }

  /** The page of an error code; `message` is one plain sentence. */
  render(code: string, message: string, requestId: string): string {
    const hint = this.hints.get(code) ?? null;
    const wayOn = this.waysOn.get(code) ?? null;
    return this.pages.render<ProblemPage>(PAGE, {
      title: TITLES[code] ?? 'That did not work',
      message: sentence(message),
      hint,
      wayOn,
      code,
      requestId,
    });
  }

  /** Sends the error page for anything that was thrown. */
  send(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    const { id } = request.context;
    const shown = describe(error);
    if (shown.status >= 500) this.log.error({ err: error, requestId: id, url: request.url?.split('?')[0] }, 'unexpected error');
    const retryAfter = asDomainError(error)?.extras.retryAfter;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    sendPage(response, shown.status, this.render(shown.code, shown.message, id));
  }
}

function describe(error: unknown): Shown {
  const known = asDomainError(error);
  if (known) return { status: statusOfKind(known.kind), code: known.code, message: known.detail };
  return { status: 500, code: 'internal', message: 'Something went wrong here. Try again; if the problem persists, contact the operator' };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

/** For controllers with pages: any error becomes a page instead of a problem document. */
@Catch()
export class ProblemPageFilter implements ExceptionFilter {
  constructor(private readonly pages: ProblemPagesService) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.pages.send(error, http.getRequest<IncomingMessage>(), http.getResponse<ServerResponse>());
  }
}
