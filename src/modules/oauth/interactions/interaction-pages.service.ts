import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { originOf, parseUrl } from '../../../shared/validation/index.js';
import { PagesService, sendPage } from '../../../shared/web/index.js';
import type { Principal } from '../../accounts/index.js';
import { wordsFor } from '../account/account-pages.service.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import type { ConsentPage, ConsentWindowPage, CookiesBlockedPage, LoginPage, SignInPage } from '../pages/page-data.js';
import { type SignInTexts, signInTexts } from '../pages/sign-in.messages.js';
import { knownScopes } from '../scopes.js';
import { CsrfService, ticketOf } from './csrf.service.js';
import type { BlockedFrame } from './interactions.service.js';
import type { PendingInteraction } from './pending-interaction.js';

const page = (name: string) => new URL(`../pages/${name}.eta`, import.meta.url);

interface Parties {
  readonly clientName: string | null;
  readonly user: Principal | null;
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Renders login and consent as HTML, in the language of the browser. */
@Injectable()
export class InteractionPagesService {
  constructor(
    private readonly pages: PagesService,
    private readonly csrf: CsrfService,
  ) {}

  login(
    { request, response }: Exchange,
    pending: PendingInteraction,
    state: Parties & { email: string; remember: boolean; error: string | null; status: number; passkey: LoginPage['passkey'] },
  ): void {
    const { email, remember, error, clientName, passkey } = state;
    const html = this.pages.render<LoginPage>(page('login'), {
      ...translated(request, ({ signInTitle }) => signInTitle),
      action: `/v4/interaction/${pending.uid}/login`,
      cancelAction: pending.clientId === ACCOUNT_CLIENT_ID ? null : `/v4/interaction/${pending.uid}/cancel`,
      csrf: this.csrf.tokenFor(pending.uid),
      email,
      remember,
      error,
      isFramed: pending.isFramed,
      clientName,
      passkey,
    });
    sendPage(response, state.status, html, { formsLeadToClients: true });
  }

  /** Renders the consent page; `ticket` is present only in a window that a frame opened. */
  consent(
    { request, response }: Exchange,
    pending: PendingInteraction,
    { clientName, user }: Parties,
    { ticket }: { ticket?: string } = {},
  ): void {
    const path = `/v4/interaction/${pending.uid}`;
    const words = translated(request, ({ consentTitle }) => consentTitle);
    const html = this.pages.render<ConsentPage>(page('consent'), {
      ...words,
      action: ticket === undefined ? `${path}/consent` : `${path}/window/allow`,
      cancelAction: ticket === undefined ? `${path}/cancel` : `${path}/window/deny`,
      csrf: ticket ?? this.csrf.tokenFor(pending.uid),
      isWindow: ticket !== undefined,
      clientName: clientName ?? pending.clientId,
      clientId: pending.clientId,
      redirectHost: parseUrl(pending.redirectUri)?.host || pending.redirectUri,
      userName: [user?.firstname, user?.lastname].filter(Boolean).join(' '),
      userEmail: user?.email ?? '',
      device: pending.device,
      scopes: knownScopes(pending.scope).map((name) => ({ name, ...words.texts.scopes[name] })),
    });
    sendPage(response, 200, html, { formsLeadToClients: true });
  }

  /** Renders, in a frame, the button that opens the consent window. */
  consentWindow({ request, response }: Exchange, pending: PendingInteraction, { clientName }: Parties): void {
    const path = `/v4/interaction/${pending.uid}`;
    const html = this.pages.render<ConsentWindowPage>(page('consent-window'), {
      ...translated(request, ({ consentTitle }) => consentTitle),
      clientName: clientName ?? pending.clientId,
      windowAction: `${path}/window`,
      ticket: this.csrf.tokenFor(ticketOf(pending.uid)),
      continueUrl: path,
      cancelAction: `${path}/cancel`,
      csrf: this.csrf.tokenFor(pending.uid),
    });
    sendPage(response, 200, html, { formsLeadToClients: true });
  }

  consentAnswered({ request, response }: Exchange): void {
    const words = translated(request, ({ answeredTitle }) => answeredTitle);
    sendPage(response, 200, this.pages.render<SignInPage>(page('consent-answered'), words));
  }

  /** Renders other ways to sign in if the browser blocks the cookies of the frame. */
  cookiesBlocked({ request, response }: Exchange, { clientName, redirectUri, byMessage, query }: BlockedFrame): void {
    const html = this.pages.render<CookiesBlockedPage>(page('cookies-blocked'), {
      ...translated(request, ({ signInTitle }) => signInTitle),
      clientName,
      windowUrl: `/v4/authorize?${query}&for_frame=1`,
      retryUrl: `/v4/authorize?${query}`,
      receiver: byMessage ? 'parent' : 'redirect',
      origin: originOf(redirectUri) ?? '',
    });
    sendPage(response, 200, html);
  }
}

/** The words of a page for this browser. */
function translated(request: Request, titleOf: (texts: SignInTexts) => string): SignInPage {
  const { language } = wordsFor(request);
  const texts = signInTexts[language];
  return { language, texts, title: titleOf(texts) };
}
