import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { describeUserAgent, formatDateTime, ProblemPageFilter } from '../../../shared/web/index.js';
import { AuthorizationsService } from '../../access/index.js';
import { ChangeDenialsService, CustomersService, type Denial, type DenialTerms, tokenOfLink } from '../../accounts/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type Form, textOf } from './account-forms.js';
import { AccountPagesService, type CheckGroup, type FormPage, wordsFor } from './account-pages.service.js';
import { LINK_PAGES, OpenedLinksService } from './opened-links.service.js';

/** More than a person reads; older ones end without being listed. */
const MAX_LISTED = 200;
/** Room for the names of everything that is listed. */
const MAX_LIST_CHARACTERS = 30_000;

/** Serves the page of the link *this was not me*: it lists what was added to the account lately, and removes what stays ticked. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account/link/not-me')
export class ChangeDenialsController {
  constructor(
    private readonly opened: OpenedLinksService,
    private readonly denials: ChangeDenialsService,
    private readonly sessions: SessionsService,
    private readonly authorizations: AuthorizationsService,
    private readonly clients: ClientsService,
    private readonly customers: CustomersService,
    private readonly pages: AccountPagesService,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (await this.opened.open(request, response, { purpose: 'not-me' })) this.pages.form(request, response, await this.page(request, []));
  }

  @Post()
  @RateLimited('login')
  async deny(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'not-me', form });
    if (!user) return;
    const { t } = wordsFor(request);
    const kept = keptIn(form);
    const { clientNetwork } = request.context;
    const attempt = { password: textOf(form.password), clientNetwork, knownBrowser: () => null };
    try {
      const outcome = await this.denials.deny(this.opened.tokenOf(request), { ...attempt, kept: toTerms(kept) });
      if (outcome.kind === 'undone' && outcome.resetUrl !== null) {
        this.opened.keep(response, tokenOfLink(outcome.resetUrl) ?? '');
        return response.redirect(303, LINK_PAGES.reset);
      }
      this.opened.forget(response);
      const customer = (await this.customers.nameOf(user.customerId)) ?? '';
      const done = { title: t.denyDoneTitle, message: t.denyDone };
      const asked = { title: t.disputeDoneTitle, message: t.disputeDone(customer) };
      this.pages.message(request, response, {
        ...(outcome.kind === 'asked' ? asked : done),
        link: { url: '/account', label: t.signIn },
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { retryAfter } = error.extras;
      const reason = error.code === 'denial_unproven' ? t.denyUnproven : t.denyErrors[error.code]?.(retryAfter ?? 1);
      if (!reason) return this.opened.explainExpiry(request, response, error);
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
      const page = await this.page(request, kept);
      this.pages.form(request, response, { ...page, error: reason }, retryAfter === undefined ? 400 : 429);
    }
  }

  /** `kept` names what the person has unticked. */
  private async page(request: Request, kept: readonly string[]): Promise<FormPage> {
    const { t } = wordsFor(request);
    const denial = await this.denials.describe(this.opened.tokenOf(request));
    const common = { action: LINK_PAGES['not-me'], csrf: this.opened.csrfFor(request), backUrl: null };
    if (denial.asksAdministrators) {
      const customer = (await this.customers.nameOf(denial.user.customerId)) ?? '';
      return { ...common, title: t.denyTitle, lead: t.disputeLead(customer), fields: [], button: t.disputeButton(customer) };
    }
    const { restoredEmail, proof } = denial;
    const lead = [t.denyLead, restoredEmail !== null && t.denyRestores(restoredEmail)].filter(Boolean).join(' ');
    const password = { name: 'password', label: t.password, type: 'password', autocomplete: 'current-password', required: false } as const;
    return {
      ...common,
      title: t.denyTitle,
      lead: proof === 'impossible' ? `${lead} ${t.denyUnproven}` : lead,
      checks: await this.checks(request, denial, kept),
      username: denial.user.email,
      fields: proof === 'password' ? [{ ...password, note: t.denyPasswordNote }] : [],
      button: t.denyButton,
    };
  }

  private async checks(
    request: Request,
    { user, since, factors, noticedFactorId }: Denial,
    kept: readonly string[],
  ): Promise<CheckGroup[]> {
    const { t, language } = wordsFor(request);
    const at = (time: Date | null) => formatDateTime(time ?? since, language);
    const sessions = (await this.sessions.list(user.id)).filter(({ signedInAt }) => signedInAt >= since).slice(0, MAX_LISTED);
    const authorizations = await this.authorizations.findOfUser(user.id, { limit: MAX_LISTED, after: 0 });
    const recent = authorizations.filter(({ createdAt, lastLogin }) => createdAt >= since || (lastLogin ?? createdAt) >= since);
    const groups = [
      {
        legend: t.denyFactors,
        options: factors.map(({ id, kind, name, boundAt }) => ({
          value: `factor:${id}`,
          label: t.denyFactor[kind](name),
          note: [t.addedAt(at(boundAt)), id === noticedFactorId && t.denyNoticed].filter(Boolean).join(' · '),
        })),
      },
      {
        legend: t.sessions,
        options: sessions.map(({ id, ip, userAgent, signedInAt }) => ({
          value: `session:${id}`,
          label: describeUserAgent(userAgent, language),
          note: [ip, t.signedInAt(at(signedInAt))].filter(Boolean).join(' · '),
        })),
      },
      {
        legend: t.applications,
        options: await Promise.all(
          recent.map(async ({ id, clientId, device, lastLogin, createdAt }) => ({
            value: `application:${id}`,
            label: (await this.clients.find(clientId))?.name ?? clientId,
            note: [device, t.signedInAt(at(lastLogin ?? createdAt))].filter(Boolean).join(' · '),
          })),
        ),
      },
    ];
    return groups
      .filter(({ options }) => options.length > 0)
      .map(({ legend, options }) => ({ legend, options: options.map((one) => ({ ...one, isTicked: !kept.includes(one.value) })) }));
  }
}

/** What a form listed and the person has unticked; what was added after the page was shown is not kept. */
function keptIn({ listed, remove }: Form): string[] {
  const names = typeof listed === 'string' ? listed.slice(0, MAX_LIST_CHARACTERS).split(' ').filter(Boolean) : [];
  const ticked = new Set([remove].flat());
  return names.filter((name) => !ticked.has(name));
}

function toTerms(kept: readonly string[]): DenialTerms['kept'] {
  const of = (kind: string) => kept.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  return { sessions: of('session'), factors: of('factor').map(idOf), authorizations: of('application').map(idOf) };
}

/** Parses an id; 0, which nothing has, for other values. */
const idOf = (value: string): number => (/^\d{1,9}$/.test(value) ? Number(value) : 0);
