import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import { Config } from '../config/index.js';
import { contentSecurityPolicy, type FrameAncestors, type PolicyOptions } from '../http/security-headers.js';
import { assetUrl } from './assets.js';

/**
 * Renders the pages that people see. A template begins with `layout('@layout')`, reads its data from `it`, and writes everything with `<%= %>`,
 * which escapes; `<%~ %>` (raw) is for the layout alone. Besides the data it finds the names of `site` below.
 */
@Injectable()
export class PagesService {
  /** Line breaks are left as they are: Eta's default would join the words before and after `<%= %>` at the end of a line. */
  private readonly eta = new Eta({ autoEscape: true, autoTrim: false });
  private readonly site: object;

  constructor(config: Config) {
    this.site = { serviceName: config.serviceName, host: new URL(config.publicUrl).host, assetUrl, describeUserAgent, formatDateTime };
    this.load('@layout', new URL('./layout.eta', import.meta.url));
  }

  /** HTML of a page, as in `render<LoginPage>(new URL('./pages/login.eta', import.meta.url), { … })`. The template is read once. */
  render<Data extends { readonly title: string }>(template: URL, data: Data): string {
    const name = `@${template.href}`; // to Eta, what begins with @ is a name, not a path
    if (!this.eta.templatesSync.get(name)) this.load(name, template);
    return this.eta.render(name, { ...data, ...this.site });
  }

  private load(name: string, file: URL): void {
    this.eta.loadTemplate(name, readFileSync(file, 'utf8'));
  }
}

const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** Stays with the time when a narrow column breaks the line. */
const UTC = '\u00a0UTC';

/** A moment for people: `3 Feb 2026, 14:05 UTC`. The page cannot know the reader's time zone without a script, so it names its own. */
export const formatDateTime = (moment: Date): string => `${date.format(moment)}, ${time.format(moment)}${UTC}`;

type Rule = readonly [pattern: RegExp, name: string];

/** The first match wins: nearly every browser also claims to be Chrome or Safari. */
const browsers: readonly Rule[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

/** Phones first: Android says Linux too, and the iPhone says Mac OS X. */
const systems: readonly Rule[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What a person recognises of a User-Agent header: `Chrome on Linux`, `okhttp`, `Unknown browser`. A description, not proof of anything. */
export function describeUserAgent(userAgent: string | null): string {
  const given = userAgent ?? '';
  const program = firstMatch(browsers, given) ?? firstProduct(given) ?? 'Unknown browser';
  const system = firstMatch(systems, given);
  return system ? `${program} on ${system}` : program;
}

const firstMatch = (rules: readonly Rule[], text: string): string | undefined => rules.find(([pattern]) => pattern.test(text))?.[1];

/** `curl/8.5.0` → `curl` (RFC 9110 section 10.1.5). Mozilla says nothing: every browser begins with it. */
function firstProduct(userAgent: string): string | undefined {
  const name = /^[\w.-]{1,40}(?=[/\s]|$)/.exec(userAgent)?.[0];
  return name === 'Mozilla' ? undefined : name;
}

const framing = new WeakMap<ServerResponse, FrameAncestors>();

/** Lets pages of these origins, or all pages, show whatever page this request is answered with, a problem too. */
export function allowFraming(response: ServerResponse, ancestors: FrameAncestors): void {
  framing.set(response, ancestors);
}

/** Answers with a page. It is never cached: pages carry CSRF tokens and what belongs to one person. */
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
  if (frameAncestors === 'any' || frameAncestors.length > 0) response.removeHeader('x-frame-options'); // it cannot name origins
  response.setHeader('content-security-policy', contentSecurityPolicy({ ...options, frameAncestors }));
  response.end(html);
}
