import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { DomainError } from '../../../shared/errors.js';
import { statusOfKind } from '../../../shared/http/index.js';
import { describeUserAgent, PagesService, sendPage } from '../../../shared/web/index.js';
import {
  AuthenticatorAppsService,
  type Enrolment,
  PasskeysService,
  type SecondFactor,
  type SecondFactorSummary,
  type User,
} from '../../accounts/index.js';
import { CsrfService } from '../interactions/csrf.service.js';
import { passkeyParts, scriptUrl, textOf } from '../interactions/sign-in-pages.service.js';
import type { EnrolPage, RecoveryCodesPage } from '../pages/page-data.js';
import { secondFactorTexts } from '../pages/second-factors.messages.js';
import type { LoginSession } from '../sessions/sessions.service.js';
import { AccountPagesService, type FormPage, wordsFor } from './account-pages.service.js';
import type { SignedIn } from './confirmations.service.js';

const page = (name: string) => new URL(`../pages/${name}.eta`, import.meta.url);
const section = (name: string) => new URL(`./pages/${name}-section.eta`, import.meta.url);

/** A page for a person who has confirmed lately. */
interface Shown extends SignedIn {
  readonly request: Request;
  readonly response: Response;
}

/** Renders the pages about second factors below `/account`. `error` is why the form was refused. */
@Injectable()
export class AccountFactorPagesService {
  constructor(
    private readonly pages: PagesService,
    private readonly accountPages: AccountPagesService,
    private readonly csrf: CsrfService,
    private readonly apps: AuthenticatorAppsService,
    private readonly passkeys: PasskeysService,
  ) {}

  /** The parts of the account page: passkeys, authenticator app and recovery codes. */
  sections(request: Request, { authenticatorApp: app, passkeys, recoveryCodes: codes }: SecondFactorSummary): string[] {
    const texts = textsFor(request);
    const hasFactor = passkeys.length > 0 || app !== null;
    return [
      this.accountPages.section(request, section('passkeys'), { passkeys, offersPasskeys: this.passkeys.available, texts }),
      this.accountPages.section(request, section('authenticator'), { app, texts }),
      this.accountPages.section(request, section('recovery-codes'), { codes, hasFactor, texts }),
    ];
  }

  async newPasskey(shown: Shown, error: DomainError | null = null): Promise<void> {
    const { request, user, session } = shown;
    const options = await this.passkeys.registrationOptions(user, subjectOf(session));
    const name = describeUserAgent(request.headers['user-agent'] ?? null);
    const passkey = { action: '/account/passkeys/new', options: JSON.stringify(options), name };
    this.enrol(shown, { title: textsFor(request).addPasskeyTitle, app: null, passkey }, error);
  }

  async newApp(shown: Shown, error: DomainError | null = null): Promise<void> {
    const { request, user, session } = shown;
    const app = { ...(await this.enrolmentOf(user, subjectOf(session))), action: '/account/authenticator' };
    this.enrol(shown, { title: textsFor(request).addAppTitle, app, passkey: null }, error);
  }

  rename(shown: Shown, { id, name }: SecondFactor, error: DomainError | null = null): void {
    const texts = textsFor(shown.request);
    const fields = [{ name: 'name', label: texts.passkeyName, value: name, note: texts.passkeyNameHint }];
    this.form(shown, { title: texts.renameTitle, action: `/account/passkeys/${id}/rename`, fields, button: texts.rename }, error);
  }

  removePasskey(shown: Shown, { id, name }: SecondFactor, error: DomainError | null = null): void {
    const texts = textsFor(shown.request);
    this.removal(
      shown,
      { title: texts.removePasskeyTitle, lead: texts.removePasskeyText(name), action: `/account/passkeys/${id}/remove` },
      error,
    );
  }

  removeApp(shown: Shown, error: DomainError | null = null): void {
    const texts = textsFor(shown.request);
    this.removal(shown, { title: texts.removeAppTitle, lead: texts.removeAppText, action: '/account/authenticator/remove' }, error);
  }

  newCodes(shown: Shown): void {
    const texts = textsFor(shown.request);
    const action = '/account/recovery-codes';
    const checkbox = { name: 'endOthers', label: texts.endOthers };
    this.form(
      shown,
      { title: texts.newCodesTitle, lead: texts.newCodesText, action, fields: [], checkbox, button: texts.newCodesButton },
      null,
    );
  }

  /** Shows new recovery codes, for the only time. */
  codes({ request, response, session }: Shown, codes: readonly string[]): void {
    const texts = textsFor(request);
    const html = this.pages.render<RecoveryCodesPage>(page('recovery-codes'), {
      ...{ title: texts.codesTitle, language: wordsFor(request).language, texts, csrf: this.csrf.tokenFor(session.uid) },
      ...{ codes, action: null, backUrl: '/account', consoleUrl: this.accountPages.consoleUrl, script: scriptUrl('recovery-codes.js') },
    });
    sendPage(response, 200, html);
  }

  private enrol(
    { request, response, session }: Shown,
    parts: Pick<EnrolPage, 'title' | 'app' | 'passkey'>,
    error: DomainError | null,
  ): void {
    const texts = textsFor(request);
    const html = this.pages.render<EnrolPage>(page('enrol'), {
      ...{ ...parts, ...passkeyParts(texts), language: wordsFor(request).language, texts, csrf: this.csrf.tokenFor(session.uid) },
      ...{
        lead: null,
        cancelAction: null,
        backUrl: '/account',
        consoleUrl: this.accountPages.consoleUrl,
        offersToEndOthers: true,
        error: error && textOf(error, texts),
      },
    });
    sendPage(response, error ? statusOfKind(error.kind) : 200, html);
  }

  private removal(shown: Shown, form: Pick<FormPage, 'title' | 'lead' | 'action'>, error: DomainError | null): void {
    const texts = textsFor(shown.request);
    this.form(shown, { ...form, fields: [], checkbox: { name: 'endOthers', label: texts.endOthers }, button: texts.remove }, error);
  }

  private form({ request, response, session }: Shown, form: Omit<FormPage, 'csrf' | 'error'>, error: DomainError | null): void {
    const reason = error && textOf(error, textsFor(request));
    const csrf = this.csrf.tokenFor(session.uid);
    this.accountPages.form(request, response, { ...form, csrf, error: reason }, error ? statusOfKind(error.kind) : 200);
  }

  private async enrolmentOf(user: User, subject: string): Promise<Enrolment> {
    const current = await this.apps.describeEnrolment(user, subject);
    if (current) return current;
    await this.apps.startEnrolment(user, subject);
    return await this.enrolmentOf(user, subject);
  }
}

/** The subject of the enrolments and passkey challenges of a session. */
export const subjectOf = ({ uid }: LoginSession): string => `session ${uid}`;

const textsFor = (request: Request) => secondFactorTexts[wordsFor(request).language];
