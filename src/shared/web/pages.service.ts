import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import { Config } from '../config/index.js';
import { contentSecurityPolicy, type FrameAncestors, type PolicyOptions } from '../http/security-headers.js';
import { type Language, LOCALES, messages } from '../languages.js';
import { assetUrl } from './assets.js';

/**
 * Renders the pages that people see. A template begins with `layout('@layout')`, reads its data from `it`, and outputs everything with `<%= %>`,
 * which escapes; `<%~ %>` (raw) is only for the layout. Templates can also use the members of `site` below.
 */
@Injectable()
export class PagesService {
  /** Keeps line breaks: Eta's default would join the words before and after a `<%= %>` at the end of a line. */
  private readonly eta = new Eta({ autoEscape: true, autoTrim: false });
  private readonly site: object;

  constructor(config: Config) {
    this.site = { serviceName: config.serviceName, host: new URL(config.publicUrl).host, assetUrl, describeUserAgent, formatDateTime };
    this.load('@layout', new URL('./layout.eta', import.meta.url));
  }

  /** Renders a page, as in `render<LoginPage>(new URL('./pages/login.eta', import.meta.url), { … })`. Each template is read once. */
  render<Data extends { readonly title: string; readonly language?: Language }>(template: URL, data: Data): string {
    const name = `@${template.href}`; // Eta treats names that begin with @ as names, not paths
    if (!this.eta.templatesSync.get(name)) this.load(name, template);
    return this.eta.render(name, { ...data, ...this.site, layoutTexts: texts[data.language ?? 'en'] });
  }

  private load(name: string, file: URL): void {
    this.eta.loadTemplate(name, readFileSync(file, 'utf8'));
  }
}

const texts = messages({
  en: { console: 'Console', youAreAt: 'You are at', unknownBrowser: 'Unknown browser', on: 'on' },
  de: { console: 'Konsole', youAreAt: 'Sie sind auf', unknownBrowser: 'Unbekannter Browser', on: 'auf' },
});

const inUtc = (options: Intl.DateTimeFormatOptions): Readonly<Record<Language, Intl.DateTimeFormat>> => {
  const formatOf = (language: Language) => new Intl.DateTimeFormat(LOCALES[language], { ...options, timeZone: 'UTC' });
  return { en: formatOf('en'), de: formatOf('de') };
};
const dates = inUtc({ dateStyle: 'medium' });
const times = inUtc({ timeStyle: 'short' });

/** The non-breaking space keeps time and zone on one line. */
const UTC = '\u00a0UTC';

/** Formats a time for people: `3 Feb 2026, 14:05 UTC`. Without a script a page cannot know the reader's time zone, so it uses UTC. */
export function formatDateTime(moment: Date, language: Language = 'en'): string {
  return `${dates[language].format(moment)}, ${times[language].format(moment)}${UTC}`;
}

type Rule = readonly [pattern: RegExp, name: string];

/** The first match counts, because nearly every browser also claims to be Chrome or Safari. */
const browsers: readonly Rule[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

/** Phones come first: Android also contains Linux, and the iPhone also contains Mac OS X. */
const systems: readonly Rule[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Describes a User-Agent header for people: `Chrome on Linux`, `okhttp`, `Unknown browser`. It proves nothing. */
export function describeUserAgent(userAgent: string | null, language: Language = 'en'): string {
  const given = userAgent ?? '';
  const { unknownBrowser, on } = texts[language];
  const program = firstMatch(browsers, given) ?? firstProduct(given) ?? unknownBrowser;
  const system = firstMatch(systems, given);
  return system ? `${program} ${on} ${system}` : program;
}

const firstMatch = (rules: readonly Rule[], text: string): string | undefined => rules.find(([pattern]) => pattern.test(text))?.[1];

/** `curl/8.5.0` → `curl` (RFC 9110 section 10.1.5). Mozilla is ignored, because every browser begins with it. */
function firstProduct(userAgent: string): string | undefined {
  const name = /^[\w.-]{1,40}(?=[/\s]|$)/.exec(userAgent)?.[0];
  return name === 'Mozilla' ? undefined : name;
}

const framing = new WeakMap<ServerResponse, FrameAncestors>();

/** Lets pages of these origins, or all pages, frame whatever page this request is answered with, including error pages. */
export function allowFraming(response: ServerResponse, ancestors: FrameAncestors): void {
  framing.set(response, ancestors);
}

/** Sends a page. It is never cached, because pages contain CSRF tokens and personal data. */
export function sendPage(
  response: ServerResponse,
  status: number,
  html: string,
  options: Omit<PolicyOptions, 'frameAncestors'> = {},
): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(html));
  response.setHeader('cache-control', 'no-store');
  const frameAncestors = framing.get(response) ?? [];
  if (frameAncestors === 'any' || frameAncestors.length > 0) response.removeHeader('x-frame-options'); // this header cannot name origins
  response.setHeader('content-security-policy', contentSecurityPolicy({ ...options, frameAncestors }));
  response.end(html);
}
