import { describe, expect, it } from '@jest/globals';
import { anAttempt } from '../../../../../test/support/subscriptions/email-attempts.js';
import { emailSamples } from '../../../../../test/support/subscriptions/email-samples.js';
import { goldenEmails } from '../../../../../test/support/subscriptions/golden-emails.js';
import { loadConfig } from '../../../../shared/config/index.js';
import { LANGUAGES } from '../../../../shared/languages.js';
import type { EmailInstructionDto } from './email-instruction.dto.js';
import { EMAIL_TEMPLATES, emailTemplates } from './email-templates.js';
import { EmailWriterService } from './email-writer.service.js';

const writer = new EmailWriterService({ ...loadConfig({}), serviceName: 'Media & Co', publicUrl: 'https://media.example.org' });

interface Given {
  readonly payload?: Record<string, unknown>;
  readonly values?: Record<string, unknown>;
  readonly language?: string;
}

const write = (instruction: Partial<EmailInstructionDto>, { payload = {}, values = payload, language = 'en' }: Given = {}) =>
  writer.write(anAttempt({ to: [], ...instruction }, { payload, values }), language);

/** With everything that could be given. */
const sample = (template: (typeof EMAIL_TEMPLATES)[number], language: string) =>
  write({ template, parameters: emailSamples[template].parameters }, { payload: emailSamples[template].payload, language });

/** Intl puts spaces that do not break. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

/** The text that is seen. */
const seen = (html: string) =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the templates', () => {
  it.each(EMAIL_TEMPLATES)('%s has every text in every language, each in its own words', (name) => {
    const { texts } = emailTemplates[name];
    const [en, de] = LANGUAGES.map((language) => new Map(leaves(texts[language])));
    expect([...(de?.keys() ?? [])]).toEqual([...(en?.keys() ?? [])]);
    for (const [key, text] of en ?? []) expect([key, de?.get(key)]).not.toEqual([key, text]);
  });

  it.each(EMAIL_TEMPLATES.flatMap((name) => LANGUAGES.map((language) => [name, language] as const)))(
    '%s reads well (%s)',
    (name, language) => {
      const { subject, text, language: spoken } = sample(name, language);
      expect(plain(`${subject}\n\n${text}`)).toBe(goldenEmails[name][language]);
      expect(spoken).toBe(language);
    },
  );

  it.each(EMAIL_TEMPLATES)('%s has the same content as HTML', (name) => {
    const { text, html, subject } = sample(name, 'de');
    expect(html).toMatch(/^<!doctype html>\n<html lang="de">/);
    const words = seen(html).replaceAll('&amp;', '&').replaceAll('&#39;', "'");
    const paragraphs = text.split('\n').map((line) => line.replace(/^> |^-- $/, ''));
    for (const line of paragraphs.filter(Boolean)) for (const part of line.split(/: |:$/)) expect(words).toContain(plain(part).trim());
    expect(html).toContain(`<title>${subject.replaceAll('&', '&amp;')}</title>`);
  });

  it.each(EMAIL_TEMPLATES)('%s needs only a URL', (name) => {
    const { subject, text, html } = write({ template: name, parameters: { url: '/l/1' } });
    for (const part of [subject, text, html]) expect(part).not.toMatch(/undefined|null|NaN|\[object/);
  });

  const evil = `"><img src=x onerror=alert(1)><!-- ' & </td>`;
  it.each(EMAIL_TEMPLATES)('%s escapes all values', (name) => {
    const { payload, parameters } = emailSamples[name];
    const spoilt = (given: Record<string, unknown>) =>
      Object.fromEntries(Object.keys(given).map((key) => [key, key === 'url' ? `https://x.example/${evil}` : evil]));
    const { html } = write({ template: name, parameters: spoilt(parameters) }, { payload: spoilt(payload) });
    expect(html).not.toContain('<img');
    expect(html).not.toMatch(/<!--/);
    expect(html).toContain('&lt;img');
    expect(tagsOf(html)).toEqual(tagsOf(html).filter((tag) => KNOWN_TAGS.has(tag)));
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'l/1', '', null])('downloadLink wants an address of the web, not %j', (url) => {
    expect(() => write({ template: 'downloadLink', parameters: { url } })).toThrow(
      'template: the parameter url must be an http or https address',
    );
  });

  it('leave out the button of others when it would lead to no address of the web', () => {
    const { html, text } = write({ template: 's3success', parameters: { url: 'javascript:alert(1)' } });
    expect(`${html}${text}`).not.toMatch(/javascript|<a /);
  });

  it('use the payload of the event, overridden by the parameters of the instruction, whose placeholders are filled', () => {
    const payload = { mediaContainerId: 12, mediaId: 34 };
    const parameters = { mediaId: ':user.id', title: 'Film of :user.firstname' };
    const { text, subject } = write(
      { template: 's3success', parameters },
      { payload, values: { ...payload, user: { id: 99, firstname: 'Ada' } } },
    );
    expect(text).toContain('File: no. 99');
    expect(subject).toBe('File arrived: Film of Ada');
  });

  it('describe success too, and a single item', () => {
    const done = write({ template: 'transcoderJobComplete' }, { payload: { status: 'successful', mediaContainerId: 12 } });
    expect([done.subject, done.text]).toEqual([
      'Transcoding complete: Media container no. 12',
      expect.stringContaining('The file is available in the new format.'),
    ]);
    const skipped = write({ template: 'transcoderJobComplete' }, { payload: { status: 'successful', skipped: true } });
    expect(skipped.text).toContain('No file was made in the new format');
    expect(write({ template: 'uploadComplete' }, { payload: { mediaContainerIds: [12] } }).subject).toBe(
      'Upload complete: 1 media container',
    );
    const started = write(
      { template: 'dropsiteUploadStarted' },
      { payload: { dropsiteId: 5, duration: null, totalSize: 999, items: 1 }, language: 'de' },
    );
    expect(plain(started.text)).toContain('Der Upload von 1 Datei (999 Byte) in Ihre Dropsite hat begonnen.');
    expect(started.text).toContain('Dropsite: Nr. 5');
    expect(started.text).not.toContain('Erwartete Dauer');
  });

  it('have to exist', () => {
    expect(() => write({ template: 'constructor' as never })).toThrow('template: there is no template constructor');
  });

  it('use English for other languages', () => {
    expect(sample('s3success', 'fr')).toEqual(sample('s3success', 'en'));
    expect(sample('s3success', 'de-AT')).toEqual(sample('s3success', 'de'));
  });
});

describe('a mail with its own text', () => {
  const subject = 'News of :name';
  const text = 'Hello :name,\n\nsee https://example.org/?a=1&b=2.\nYours';
  const own = (name: string, language?: string) => write({ subject, text }, { payload: { name }, language });

  it('is sent as written, with filled placeholders', () => {
    expect(own('Ada', 'fr-CA')).toMatchObject({
      subject: 'News of Ada',
      text: 'Hello Ada,\n\nsee https://example.org/?a=1&b=2.\nYours',
      language: 'fr-CA',
    });
  });

  it('becomes HTML with paragraphs, lines and links', () => {
    const { html } = own('Ada', 'fr');
    expect(html).toContain('<html lang="fr">');
    expect(html).toMatch(/<p [^>]*>Hello Ada,<\/p>/);
    expect(html).toMatch(
      /<p [^>]*>see <a class="link" href="https:\/\/example.org\/\?a=1&amp;b=2" [^>]*>https:\/\/example.org\/\?a=1&amp;b=2<\/a>\.<br>Yours<\/p>/,
    );
  });

  it('is escaped', () => {
    const { html } = own('<script>alert(1)</script>"&');
    expect(html).not.toContain('<script');
    expect(html).toContain('Hello &lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;,');
  });

  it.each(['not a language', '"><script>', ''])('is of no language that is called %j', (language) => {
    const written = own('Ada', language);
    expect(written.language).toBeUndefined();
    expect(written.html).toContain('<html lang="">');
  });
});

describe('every mail', () => {
  const { html } = sample('downloadLink', 'en');

  it('is at most 600 pixels wide, and brings its styles with it', () => {
    expect(html).toContain('max-width: 600px');
    expect(html).not.toMatch(/<link|<script|<img|url\(|@import/);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('prefers-color-scheme: dark');
  });

  it('names the sender', () => {
    expect(html).toContain('Media &amp; Co at media.example.org sent this e-mail automatically.');
  });
});

const KNOWN_TAGS = new Set('!doctype html head meta base title style body div table tr td th h1 p br a bdi blockquote'.split(' '));

const tagsOf = (html: string) => [...html.matchAll(/<\/?([!a-z][a-z0-9]*)/gi)].map(([, tag = '']) => tag);

function leaves(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'object' && value !== null ? leaves(value as object, `${path}${key}.`) : [[`${path}${key}`, String(value)]],
  );
}
