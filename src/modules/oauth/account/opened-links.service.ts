import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../shared/config/index.js';
import { DomainError } from '../../../shared/errors.js';
import { appendCookie, cookieValues, hostPrefix } from '../../../shared/http/index.js';
import { type LinkPurpose, PasswordsService, tokenOfLink, type User } from '../../accounts/index.js';
import { CsrfService } from '../interactions/csrf.service.js';
import type { Form } from './account-forms.js';
import { AccountPagesService, wordsFor } from './account-pages.service.js';

/** The page to which a link of each purpose leads. */
export const LINK_PAGES: Readonly<Record<LinkPurpose, string>> = {
  reset: '/account/link/reset',
  invitation: '/account/link/invitation',
  email: '/account/link/email',
  'not-me': '/account/link/not-me',
  'factor-reset': '/account/link/factor-reset',
};

const COOKIE = 'account_link';
/** The person reads the page and chooses a password; the link itself may expire earlier. */
const COOKIE_SECONDS = 1_800;

/** The mailed link that a browser has opened. Its token is in a cookie that scripts cannot read, so that no address contains it. */
@Injectable()
export class OpenedLinksService {
  constructor(
    private readonly config: Config,
    private readonly passwords: PasswordsService,
    private readonly pages: AccountPagesService,
    private readonly csrf: CsrfService,
  ) {}

  /** Stores the token of a link in the cookie. */
  keep(response: Response, token: string): void {
    this.setCookie(response, token, COOKIE_SECONDS);
  }

  /** Removes the cookie of a link that was used. */
  forget(response: Response): void {
    this.setCookie(response, '', 0);
  }

  /** The token in the cookie; empty without one. */
  tokenOf(request: Request): string {
    return tokenOfLink(cookieValues(request.headers.cookie, this.cookieName)[0] ?? '') ?? '';
  }

  /** The field `csrf` of a form for the link. */
  csrfFor(request: Request): string {
    return this.csrf.tokenFor(this.tokenOf(request));
  }

  /** The user of the link, after the token of a `form` was checked; the link stays good. If it is no longer good, says so and returns null. */
  async open(request: Request, response: Response, { purpose, form }: { purpose: LinkPurpose; form?: Form }): Promise<User | null> {
    try {
      const user = await this.passwords.getByLink(this.tokenOf(request), purpose);
      if (form) this.csrf.check(this.tokenOf(request), form.csrf);
      return user;
    } catch (error) {
      this.explainExpiry(request, response, error);
      return null;
    }
  }

  /** Shows that a link is no longer good, and where to get a new one; throws other errors again. */
  explainExpiry(request: Request, response: Response, error: unknown): void {
    if (!(error instanceof DomainError && error.code === 'account_link_expired')) throw error;
    const { t } = wordsFor(request);
    const link = { url: '/account/forgot', label: t.forgotTitle };
    this.pages.message(request, response, { title: t.linkExpiredTitle, message: t.linkExpired, link }, 410);
  }

  private setCookie(response: Response, value: string, maxAgeSeconds: number): void {
    const secure = this.config.publicUrl.startsWith('https:');
    const path = secure ? '/' : '/account'; // __Host- requires the path /
    appendCookie(response, { name: this.cookieName, value, path, maxAgeSeconds, secure });
  }

  private get cookieName(): string {
    return `${hostPrefix(this.config.publicUrl)}${COOKIE}`;
  }
}
