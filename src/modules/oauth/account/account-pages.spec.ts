import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { PagesService } from '../../../shared/web/index.js';
import type { ApplicationOnPage } from '../pages/page-data.js';
import { secondFactorTexts } from '../pages/second-factors.messages.js';
import { accountMessages } from './account.messages.js';
import type { AccountPage, FormPage } from './account-pages.service.js';

const moment = new Date('2026-02-03T14:05:00Z');

const accountPage = (text: string): AccountPage => ({
  csrf: text,
  user: { name: text, email: text, customer: text },
  notice: text,
  securitySections: ['<h3>Password</h3>'],
  applicationList: [anApplication(text)],
  sessionList: ['1', '2'].map((id) => ({
    id: `${text}${id}`,
    current: id === '1',
    ip: text,
    userAgent: text,
    signedInAt: moment,
    expiresAt: moment,
  })),
  supportAccess: { until: moment, visits: [{ at: moment, staff: text, reason: text }], mayChange: true },
  deauthorizeAction: '/account/deauthorize',
  endSessionAction: '/account/end-session',
  endOthersAction: '/account/end-other-sessions',
  logoutUrl: '/v4/logout',
});

const anApplication = (text: string): ApplicationOnPage => ({
  id: 7,
  name: text,
  clientId: text,
  type: text,
  device: text,
  ip: text,
  userAgent: text,
  lastLogin: moment,
  createdAt: moment,
  env: text,
  platform: text,
  version: text,
});

const formPage = (text: string): FormPage => ({
  title: text,
  lead: text,
  error: text,
  action: '/account/password',
  csrf: text,
  username: text,
  fields: [
    { name: 'current', label: text, type: 'password', autocomplete: 'current-password' },
    { name: 'password', label: text, type: 'password', autocomplete: 'new-password', note: text, value: text },
  ],
  choice: { name: 'hours', legend: text, options: [{ value: '24', label: text }] },
  checkbox: { name: 'endOthers', label: text },
  button: text,
});

const pages = new PagesService(loadConfig({ SERVICE_NAME: 'Media & more', PUBLIC_URL: 'https://media.example' }));
const sections = ['overview', 'security', 'sessions', 'applications', 'support'];
const renderAccount = (data: AccountPage, language: 'en' | 'de' = 'en') => {
  const t = accountMessages[language];
  return pages.render(new URL('./pages/account.eta', import.meta.url), { ...data, title: t.accountTitle, sections, language, t });
};
const renderForm = (data: FormPage) => {
  const defaults = { errorWord: 'Error', backUrl: '/account', backLabel: data.title, language: 'en' as const };
  return pages.render(new URL('./pages/form.eta', import.meta.url), { ...defaults, ...data });
};

const renderSections = (text: string) => {
  const common = { title: '', texts: secondFactorTexts.en, language: 'en' as const };
  const passkey = { id: 7, name: text, boundAt: moment, lastUsedAt: moment };
  const data = {
    passkeys: { offersPasskeys: true, passkeys: [passkey, { ...passkey, id: 8, lastUsedAt: null }] },
    authenticator: { app: passkey },
    'recovery-codes': { hasFactor: true, codes: { usedAt: [moment, null] } },
  };
  const render = ([name, own]: [string, object]) =>
    pages.render(new URL(`./pages/${name}-section.eta`, import.meta.url), { ...common, ...own });
  return Object.entries(data).map(render).join('');
};

/** Tags with the names of their attributes: what hostile text must not be able to change. */
const outline = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/="[^"]*"/g, '').replace(/\s+/g, ' '));
const tags = (html: string, name: string) => html.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? [];
const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];

describe.each([
  ['account page', (text: string) => renderAccount(accountPage(text))],
  ['page of a form', (text: string) => renderForm(formPage(text))],
  ['sections about second factors', (text: string) => renderSections(text)],
])('the %s', (_name, render) => {
  const html = render('Ada');

  it('writes hostile text as text', () => {
    const attacked = render(`<script>alert(1)</script><img src=x onerror="alert(1)">"'&<% it %>`);
    expect(outline(attacked)).toEqual(outline(html));
    expect(attacked).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('labels every control, and gives no id twice', () => {
    for (const input of tags(html, 'input').filter((tag) => attribute(tag, 'type') !== 'hidden' && !attribute(tag, 'aria-hidden')))
      expect(html).toContain(`<label for="${attribute(input, 'id')}">`);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('posts every form, with its token', () => {
    for (const form of html.match(/<form[\s\S]*?<\/form>/g) ?? [])
      expect(form).toMatch(/^<form method="post" action="\/account\/[\s\S]*<input type="hidden" name="csrf" value="Ada">/);
  });
});

describe('the account page', () => {
  const account = accountPage('Ada');

  it('labels each button with its target', () => {
    const html = renderAccount(account);
    expect(html).toContain('aria-label="Revoke Ada"');
    expect(html).toContain('aria-label="End the session of Ada"');
  });

  it('shows moments for people and for programs', () => {
    expect(renderAccount(account)).toContain('<time datetime="2026-02-03T14:05:00.000Z">3 Feb 2026, 14:05\u00a0UTC</time>');
  });

  it('speaks German', () => {
    const html = renderAccount(account, 'de');
    expect(html).toContain('<html lang="de">');
    for (const words of ['Ihr Konto', 'Dieser Browser', 'Sitzung von Ada beenden', '03.02.2026, 14:05']) expect(html).toContain(words);
  });

  it('explains empty lists', () => {
    const html = renderAccount({ ...account, notice: null, applicationList: [], sessionList: [] });
    expect(html).toContain('No application has access to your account.');
    expect(html).toContain('No browser is signed in to your account.');
    expect(tags(html, 'form')).toHaveLength(0);
  });

  it('omits unknown values', () => {
    const unknown = { device: null, ip: null, userAgent: null, lastLogin: null, env: null, platform: null, version: null };
    const html = renderAccount({ ...account, applicationList: [{ ...anApplication('Ada'), ...unknown }], sessionList: [] });
    expect(html).toContain('Never');
    expect(html).not.toMatch(/null|undefined|Device|Browser<|IP address|Environment|Platform|Version/);
  });
});

describe('the page of a form', () => {
  it('links an error and the advice to the fields, and shows the error in the title', () => {
    const html = renderForm(formPage('Ada'));
    expect(html).toContain('<title>Error: Ada');
    expect(html).toContain('aria-describedby="password-note form-error"');
  });
});
