import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import { Config } from '../config/index.js';
import { assetUrl } from './assets.js';
import { describeUserAgent } from './describe-user-agent.js';

/**
 * Renders the pages that people see. A template begins with `layout('@layout')`, reads its data from `it`, and writes everything with `<%= %>`,
 * which escapes; `<%~ %>` (raw) is for the layout alone. Besides the data it finds the names of `site` below.
 */
@Injectable()
export class Pages {
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
