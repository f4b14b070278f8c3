import type { ServerResponse } from 'node:http';
import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../auth/index.js';
import { Config } from '../../config/index.js';
import { generalErrors } from '../../errors.js';
import { isFromThisMachine } from '../../http/index.js';
import { PagesService, ProblemPageFilter, publishAssets, sendPage } from '../../web/index.js';
import { MailboxAdapter } from '../mailbox.adapter.js';
import type { MailboxMail } from '../mailbox-mail.entity.js';
import { Mailer } from '../mailer.port.js';

const LIST = '/dev/mail';
const LIST_PAGE = new URL('./mailbox-page.eta', import.meta.url);
const MAIL_PAGE = new URL('./mail-page.eta', import.meta.url);

/** Ids are bigint; PostgreSQL would reject more digits. */
const ID = /^\d{1,18}$/;

const nothing = () => generalErrors.not_found('No page has this address.');

/** The e-mails of an installation without a mail server, for callers on this machine; other callers get 404. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(ProblemPageFilter)
@Controller('dev/mail')
export class MailboxController {
  constructor(
    private readonly config: Config,
    private readonly mailer: Mailer,
    private readonly mailbox: MailboxAdapter,
    private readonly pages: PagesService,
  ) {}

  @Get()
  async list(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.check(request);
    const mails = (await this.mailbox.list()).map((mail) => ({ ...mail, url: `${LIST}/${mail.id}` }));
    sendPage(response, 200, this.pages.render<MailboxPage>(LIST_PAGE, { title: 'E-mails', mails, ...mailboxPageAssets }));
  }

  @Get(':id')
  async show(@Param('id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const mail = await this.open(id, request);
    const htmlUrl = mail.html === null ? null : `${LIST}/${mail.id}/html`;
    const page = { title: mail.subject || '(no subject)', listUrl: LIST, mail, htmlUrl, ...mailboxPageAssets };
    sendPage(response, 200, this.pages.render<MailPage>(MAIL_PAGE, page), { objectSrc: [] });
  }

  @Get(':id/html')
  async html(@Param('id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { html } = await this.open(id, request);
    if (html === null) throw nothing();
    sendMailHtml(response, html);
  }

  private async open(id: string, request: Request): Promise<MailboxMail> {
    this.check(request);
    const mail = ID.test(id) ? await this.mailbox.find(id) : null;
    if (!mail) throw nothing();
    return mail;
  }

  private check(request: Request): void {
    if (this.mailer !== this.mailbox || !isFromThisMachine(request, this.config)) throw nothing();
  }
}

interface Page {
  readonly title: string;
  readonly stylesheet: string;
}

/** The list of mails, newest first. */
export interface MailboxPage extends Page {
  readonly mails: readonly (Pick<MailboxMail, 'recipient' | 'subject' | 'createdAt'> & { readonly url: string })[];
}

/** One mail; a frame shows its HTML. */
export interface MailPage extends Page {
  readonly listUrl: string;
  readonly mail: Pick<MailboxMail, 'messageId' | 'sender' | 'recipient' | 'text' | 'createdAt'>;
  /** Null if the mail is plain text only. */
  readonly htmlUrl: string | null;
}

const urlOf = publishAssets('mailbox', { files: { 'mailbox.css': new URL('./mailbox.css', import.meta.url) } });

/** The assets of the mailbox pages. */
const mailboxPageAssets = { stylesheet: urlOf('mailbox.css') };

/** Mails contain inline styles, because mail clients load no stylesheets; everything else is forbidden. Links open in another window. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

/** Sends the HTML of a mail, for the frame of a mailbox page. */
function sendMailHtml(response: ServerResponse, html: string): void {
  response.statusCode = 200;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(html));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-frame-options', 'SAMEORIGIN');
  response.removeHeader('origin-agent-cluster'); // a sandboxed document has its own origin, and browsers log a warning about this header
  response.setHeader('content-security-policy', POLICY);
  response.end(html);
}
