import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../auth/index.js';
import { Config } from '../../config/index.js';
import { generalErrors } from '../../errors/index.js';
import { Pages, ProblemPageFilter, sendPage } from '../../web/index.js';
import { Mailbox } from '../mailbox.js';
import type { MailboxMail } from '../mailbox-mail.entity.js';
import { Mailer } from '../mailer.js';
import { isFromThisMachine } from './is-from-this-machine.js';
import { mailboxPageAssets } from './mailbox-page-assets.js';
import type { MailboxPage, MailPage } from './mailbox-page-data.js';
import { sendMailHtml } from './send-mail-html.js';

const LIST = '/dev/mail';
const LIST_PAGE = new URL('./mailbox-page.eta', import.meta.url);
const MAIL_PAGE = new URL('./mail-page.eta', import.meta.url);

/** Ids are bigint; more digits than these PostgreSQL would refuse. */
const ID = /^\d{1,18}$/;

const nothing = () => generalErrors.not_found('There is nothing at this address.');

/** What an installation without a mail server would have sent, for who sits at the machine; for everybody else there is nothing here. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(ProblemPageFilter)
@Controller('dev/mail')
export class MailboxController {
  constructor(
    private readonly config: Config,
    private readonly mailer: Mailer,
    private readonly mailbox: Mailbox,
    private readonly pages: Pages,
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
    sendPage(response, 200, this.pages.render<MailPage>(MAIL_PAGE, page), { mediaSrc: [] });
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
