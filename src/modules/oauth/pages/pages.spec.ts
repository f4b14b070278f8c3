import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { PagesService } from '../../../shared/web/index.js';
import type {
  ConfirmPasswordPage,
  ConsentPage,
  ConsentWindowPage,
  CookiesBlockedPage,
  EnrolPage,
  FrameResultPage,
  LoggedOutPage,
  LoginPage,
  LogoutPage,
  RecoveryCodesPage,
  ReplaceSessionPage,
  SecondFactorPage,
  SignInPage,
} from './page-data.js';
import { secondFactorTexts } from './second-factors.messages.js';
import { signInTexts } from './sign-in.messages.js';

interface PageData {
  login: LoginPage;
  'second-factor': SecondFactorPage;
  enrol: EnrolPage;
  'confirm-password': ConfirmPasswordPage;
  'replace-session': ReplaceSessionPage;
  'recovery-codes': RecoveryCodesPage;
  consent: ConsentPage;
  logout: LogoutPage;
  'logged-out': LoggedOutPage;
  'frame-result': FrameResultPage;
  'cookies-blocked': CookiesBlockedPage;
  'consent-window': ConsentWindowPage;
  'consent-answered': SignInPage;
}
type PageName = keyof PageData;

/** Every page with every optional part shown and the same text everywhere. */
const everyPage = (text: string): PageData => ({
  login: loginPage(text),
  'second-factor': secondFactorPage(text),
  enrol: enrolPage(text),
  'confirm-password': {
    ...translated(text),
    lead: text,
    action: text,
    email: text,
    isFramed: false,
    cancelAction: text,
    error: text,
    clientName: text,
  },
  'replace-session': {
    ...signInPage(text),
    action: text,
    xsrf: text,
    cancelAction: text,
    csrf: text,
    current: { email: text, customer: text },
    next: { email: text, customer: text },
  },
  'recovery-codes': { ...translated(text), codes: [text], action: text, backUrl: text, script: SCRIPT },
  consent: consentPage(text),
  logout: { ...signInPage(text), action: text, xsrf: text, userEmail: text },
  'logged-out': { ...signInPage(text), clientName: text },
  'frame-result': { ...signInPage(text), response: text, redirect: text, receiver: 'parent', origin: text },
  'consent-window': consentWindowPage(text),
  'consent-answered': { ...signInPage(text) },
  'cookies-blocked': { ...signInPage(text), clientName: text, windowUrl: text, retryUrl: text, receiver: 'parent', origin: text },
});

const signInPage = (text: string): SignInPage => ({ title: text, language: 'en', texts: signInTexts.en });

const loginPage = (text: string): LoginPage => ({
  ...signInPage(text),
  action: text,
  cancelAction: text,
  csrf: text,
  email: text,
  remember: true,
  error: text,
  isFramed: false,
  clientName: text,
  passkey: { action: text, options: text, button: text, problems: text, script: SCRIPT },
});

const SCRIPT = '/assets/sign-in.0123456789ab/passkeys.js';

const translated = (text: string) => ({ title: text, language: 'en' as const, texts: secondFactorTexts.en, csrf: text });

const secondFactorPage = (text: string): SecondFactorPage => ({
  ...translated(text),
  action: text,
  passkeyAction: text,
  passkeyOptions: text,
  codeLabel: text,
  startOverAction: text,
  cancelAction: text,
  error: text,
  clientName: text,
  problems: text,
  script: SCRIPT,
});

const enrolPage = (text: string): EnrolPage => ({
  ...translated(text),
  lead: text,
  app: { secret: text, url: text, qrCode: { width: 1, path: text }, action: text },
  passkey: { action: text, options: text, name: text },
  cancelAction: text,
  backUrl: text,
  offersToEndOthers: true,
  error: text,
  problems: text,
  script: SCRIPT,
});

const consentPage = (text: string): ConsentPage => ({
  ...signInPage(text),
  action: text,
  cancelAction: text,
  csrf: text,
  clientName: text,
  clientId: text,
  redirectHost: text,
  userName: text,
  userEmail: text,
  device: text,
  scopes: [{ name: text, label: text, text }],
  isWindow: true,
});

const consentWindowPage = (text: string): ConsentWindowPage => ({
  ...signInPage(text),
  clientName: text,
  windowAction: text,
  ticket: text,
  continueUrl: text,
  cancelAction: text,
  csrf: text,
});

const pages = new PagesService(loadConfig({ SERVICE_NAME: 'Media & more', PUBLIC_URL: 'https://media.example' }));
const render = <Name extends PageName>(name: Name, data: PageData[Name]) => pages.render(new URL(`./${name}.eta`, import.meta.url), data);
const names = Object.keys(everyPage('')) as PageName[];

/** Tags with the names of their attributes: what hostile text must not be able to change. */
const outline = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/="[^"]*"/g, '').replace(/\s+/g, ' '));
const tags = (html: string, name: string) => html.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? [];
const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];

it('tests every template', () => {
  const templates = readdirSync(new URL('./', import.meta.url)).filter((file) => file.endsWith('.eta'));
  expect(templates.sort()).toEqual(names.map((name) => `${name}.eta`).sort());
});

describe.each(names)('the %s page', (name) => {
  const html = render(name, everyPage('Ada')[name]);

  it('writes hostile text as text', () => {
    const hostile = `<script>alert(1)</script><img src=x onerror="alert(1)">"'&<% it %>`;
    const attacked = render(name, everyPage(hostile)[name]);
    expect(outline(attacked)).toEqual(outline(html));
    expect(attacked).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('has a German version without English words', () => {
    const data = everyPage('Ada')[name];
    const isAboutFactors = 'texts' in data && 'verifyTitle' in data.texts;
    const german = { ...data, language: 'de' as const, texts: isAboutFactors ? secondFactorTexts.de : signInTexts.de };
    const html = pages.render(new URL(`./${name}.eta`, import.meta.url), german);
    expect(html).toContain('<html lang="de">');
    expect(html.replaceAll(/<[^>]*>/g, ' ')).not.toMatch(/\b(?:the|your?|sign|and|error|cancel|back)\b/i);
  });

  it('escapes everything: nothing is written raw', () => {
    expect(readFileSync(new URL(`./${name}.eta`, import.meta.url), 'utf8')).not.toMatch(/<%[-_]?\s*~/);
  });

  it('needs no inline style or script, and no resources of other origins', () => {
    const own = html.replace(/<script src="\/assets\/[\w./-]+" (defer|type="module")><\/script>/g, '');
    expect(own).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:|https?:/i);
  });

  it('shows its title in the tab and as the one heading of the first level', () => {
    expect(/<title>(?:Error: )?Ada · Media &amp; more<\/title>/.test(html)).toBe(true);
    expect(html.match(/<h1>Ada<\/h1>/g)).toHaveLength(1);
  });

  it('has a language and the three landmarks', () => {
    expect(html).toContain('<html lang="en">');
    for (const landmark of ['header', 'main', 'footer']) expect(tags(html, landmark)).toHaveLength(1);
  });

  it('labels every control', () => {
    for (const input of tags(html, 'input').filter((tag) => attribute(tag, 'type') !== 'hidden')) {
      expect(html).toContain(`<label for="${attribute(input, 'id')}">`);
    }
    for (const [, text] of html.matchAll(/<button\b[^>]*>([^<]*)/g)) expect(text?.trim()).toBeTruthy();
  });

  it('posts every form, with its token', () => {
    for (const form of html.match(/<form[\s\S]*?<\/form>/g) ?? []) {
      expect(form).toMatch(/^<form method="(post" action="Ada"|get" action="Ada" target="_blank")/); // a window is only looked at
      expect(form).toMatch(/<input type="hidden" name="(csrf|xsrf|ticket)" value="Ada">/);
    }
  });

  it('gives no id twice', () => {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the login page', () => {
  const login = everyPage('Ada').login;

  it('links an error to both fields and shows it in the title', () => {
    const html = render('login', login);
    expect(html).toContain('<p class="alert" id="login-error" role="alert">Ada</p>');
    expect(html).toContain('<title>Error: Ada');
    for (const field of ['email', 'password']) expect(inputNamed(html, field)).toContain('aria-describedby="login-error"');
  });

  it('lets password managers fill it', () => {
    const html = render('login', login);
    expect(attribute(inputNamed(html, 'email'), 'autocomplete')).toBe('username webauthn');
    expect(attribute(inputNamed(html, 'password'), 'autocomplete')).toBe('current-password');
    expect(attribute(inputNamed(html, 'password'), 'value')).toBeUndefined();
  });

  it('begins at the first empty field', () => {
    expect(inputNamed(render('login', login), 'password')).toContain('autofocus');
    expect(inputNamed(render('login', { ...login, email: '' }), 'email')).toContain('autofocus');
  });

  it('omits parts that do not apply', () => {
    const html = render('login', { ...login, error: null, clientName: null, cancelAction: null, remember: false, passkey: null });
    expect(html).not.toMatch(/login-error|to continue to|Cancel|checked|Error:|passkey/);
    expect(tags(html, 'form')).toHaveLength(1);
  });

  const inputNamed = (html: string, name: string) => tags(html, 'input').find((tag) => attribute(tag, 'name') === name) ?? '';
});

describe('the consent page', () => {
  it('gives Allow and Deny the same looks', () => {
    const html = render('consent', everyPage('Ada').consent);
    const buttons = [...html.matchAll(/<button class="([^"]*)">(Allow|Deny)<\/button>/g)].map(([, looks, text]) => [text, looks]);
    expect(buttons).toEqual([
      ['Allow', 'button'],
      ['Deny', 'button'],
    ]);
  });
});

describe('the logout page', () => {
  it('signs out only with the sign-out button', () => {
    const html = render('logout', everyPage('Ada').logout);
    expect(html).toContain('<button class="button" name="logout" value="yes">Sign out</button>');
    expect(html).toContain('<button class="button quiet">Stay signed in</button>');
  });
});
