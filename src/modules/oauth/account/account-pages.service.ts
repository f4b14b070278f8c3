import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../shared/config/index.js';
import { type Language, languageOf } from '../../../shared/languages.js';
import { PagesService, pageFilesIn, publishAssets, sendPage } from '../../../shared/web/index.js';
import type { Occasion } from '../../accounts/index.js';
import type { ApplicationOnPage, SessionOnPage, SupportVisitOnPage } from '../pages/page-data.js';
import { type AccountMessages, accountMessages } from './account.messages.js';

const page = (name: string) => new URL(`./pages/${name}.eta`, import.meta.url);
const scriptUrl = publishAssets('account', { files: pageFilesIn(new URL('./browser/', import.meta.url)) });

/** The data of account.eta. */
export interface AccountPage {
  readonly csrf: string;
  readonly user: { readonly name: string; readonly email: string; readonly customer: string };
  /** A sentence about the last action, such as `The application can no longer act for you.` */
  readonly notice: string | null;
  /** The sections about passwords and factors, rendered by `section`. */
  readonly securitySections: readonly string[];
  readonly applicationList: readonly ApplicationOnPage[];
  readonly sessionList: readonly SessionOnPage[];
  /** The time until which support staff may act for the user's organisation, and their visits. */
  readonly supportAccess: { readonly until: Date | null; readonly visits: readonly SupportVisitOnPage[]; readonly mayChange: boolean };
  readonly deauthorizeAction: string;
  readonly endSessionAction: string;
  readonly endOthersAction: string;
  readonly logoutUrl: string;
}

/** A field of form.eta; default: a required line of text. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password';
  readonly autocomplete?: string;
  readonly inputmode?: 'email' | 'numeric';
  readonly required?: false;
  readonly value?: string;
  /** A sentence below the field. */
  readonly note?: string;
}

/** Boxes of form.eta under one heading; those that stay ticked post their value as `remove`. */
export interface CheckGroup {
  readonly legend: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly note: string; readonly isTicked: boolean }[];
}

/** The data of form.eta: a page with one form, which posts `csrf`, if there is one, and the fields to `action`. */
export interface FormPage {
  readonly title: string;
  readonly lead?: string;
  /** Why the form was refused, in words. */
  readonly error?: string | null;
  readonly action: string;
  readonly csrf?: string;
  /** The address that password managers store with a new password. */
  readonly username?: string;
  readonly fields: readonly FormField[];
  /** Options of which the first is chosen at first; posts the `value`. */
  readonly choice?: {
    readonly name: string;
    readonly legend: string;
    readonly options: readonly { readonly value: string; readonly label: string }[];
  };
  /** Boxes to tick; the values of all of them are posted as `listed`, separated by blanks. */
  readonly checks?: readonly CheckGroup[];
  /** A box that is ticked at first; posts `yes`. */
  readonly checkbox?: { readonly name: string; readonly label: string };
  readonly button: string;
  /** Where to go without posting; null: nowhere. Default: the account page. */
  readonly backUrl?: string | null;
  /** The words of `backUrl`. */
  readonly backLabel?: string;
  /** The name of a module in `browser/`. */
  readonly script?: string;
}

/** The data of message.eta. */
export interface MessagePage {
  readonly title: string;
  readonly message: string;
  readonly link?: { readonly url: string; readonly label: string };
}

const SECTIONS = ['overview', 'security', 'sessions', 'applications', 'support'] as const;

/** Renders the pages below `/account` in the language of the browser. They work without JavaScript. */
@Injectable()
export class AccountPagesService {
  constructor(
    private readonly pages: PagesService,
    private readonly config: Config,
  ) {}

  /** The address of the console for the header of the pages; null: this installation has none. */
  get consoleUrl(): string | null {
    return this.config.console === 'on' ? '/console/' : null;
  }

  account(request: Request, response: Response, data: AccountPage): void {
    const { language, t } = wordsFor(request);
    sendPage(
      response,
      200,
      this.pages.render(page('account'), { ...data, title: t.accountTitle, sections: SECTIONS, consoleUrl: this.consoleUrl, language, t }),
    );
  }

  /** Shows a form; with an `error`, its status is 400 unless `status` says otherwise. */
  form(request: Request, response: Response, { script, ...data }: FormPage, status = data.error ? 400 : 200): void {
    const { language, t } = wordsFor(request);
    const consoleUrl = data.backUrl === undefined ? this.consoleUrl : null; // without a session there is nothing to go back to
    const defaults = { backUrl: '/account', backLabel: t.back, errorWord: t.error, consoleUrl };
    const html = this.pages.render(page('form'), { ...defaults, ...data, script: script && scriptUrl(script), language, t });
    sendPage(response, status, html);
  }

  message(request: Request, response: Response, { link, ...data }: MessagePage, status = 200): void {
    const { language } = wordsFor(request);
    sendPage(response, status, this.pages.render(page('message'), { ...data, linkUrl: link?.url, linkLabel: link?.label, language }));
  }

  /** Renders a part of the section "Security"; its template gets `data`, `t` (the words) and `language`. */
  section<Data extends object>(request: Request, template: URL, data: Data): string {
    return this.pages.render(template, { title: '', ...data, ...wordsFor(request) });
  }
}

/** The words for a browser, by its Accept-Language. */
export function wordsFor(request: Request): { readonly language: Language; readonly t: AccountMessages } {
  const language = languageOf(request.headers['accept-language']);
  return { language, t: accountMessages[language] };
}

/** Where a change comes from, for the mail about it. */
export const occasionOf = (request: Request): Occasion => ({
  ip: request.context.clientAddress,
  userAgent: request.headers['user-agent'] ?? null,
});
