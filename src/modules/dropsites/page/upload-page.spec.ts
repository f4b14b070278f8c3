import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { PagesService } from '../../../shared/web/index.js';
import type { UploadPage } from './upload-page.controller.js';

const PAGE = new URL('./upload-page.eta', import.meta.url);

const pages = new PagesService(loadConfig({ SERVICE_NAME: 'Media & more', PUBLIC_URL: 'https://media.example' }));

const aPage = (text: string): UploadPage => ({
  ...{ title: text, description: text, link: text, requiresPassword: true, allowAnonymous: true, allowedTypes: [text] },
  ...{
    maxItemsPerDay: 3,
    maxBytesPerDay: 5,
    limits: text,
    closing: { at: text, text },
    stylesheet: '/assets/page.css',
    script: '/assets/page.js',
    modules: ['/assets/part.js'],
  },
});

/** Tags with the names of their attributes: what hostile text must not be able to change. */
const outline = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/="[^"]*"/g, '').replace(/\s+/g, ' '));

it('writes hostile text as text', () => {
  const hostile = `<script>alert(1)</script><img src=x onerror="alert(1)">"'&<% it %>`;
  expect(outline(pages.render(PAGE, aPage(hostile)))).toEqual(outline(pages.render(PAGE, aPage('Ada'))));
  expect(readFileSync(PAGE, 'utf8')).not.toMatch(/<%[-_]?\s*~/);
});

it('keeps the line breaks of the description', () => {
  const html = pages.render(PAGE, aPage('Two lines:\nthe second.\n\nA paragraph <b>of its own</b>.'));
  expect(html).toContain('<p class="lead description">Two lines:\nthe second.\n\nA paragraph &lt;b&gt;of its own&lt;/b&gt;.</p>');
  expect(readFileSync(new URL('./browser/upload-page.css', import.meta.url), 'utf8')).toMatch(
    /\.description \{[^}]*white-space: pre-line;/,
  );
});

it('shows the closing time without scripts, if there is one', () => {
  const closing = { at: '2026-02-03T14:05:00.000Z', text: 'Open until 3 February 2026 at 14:05 UTC.' };
  const html = pages.render(PAGE, { ...aPage('Ada'), closing });
  expect(html.slice(0, html.indexOf('id="upload"'))).toContain(`<time id="closing" datetime="${closing.at}">${closing.text}</time>`);
  expect(pages.render(PAGE, { ...aPage('Ada'), closing: null })).not.toContain('id="closing"');
});

it('needs no inline style or script, and no resources of other origins', () => {
  const html = pages.render(PAGE, aPage('Ada')).replace('<script type="module" src="/assets/page.js"></script>', '');
  expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:|https?:\/\//i);
});

it('hides elements that need scripts until they run, and shows that it needs them', () => {
  const html = pages.render(PAGE, aPage('Ada'));
  expect(html).toMatch(/<div class="stack" id="upload" hidden/);
  expect(html).toContain('<noscript><p class="alert">Uploads require JavaScript.');
});

it('contains only the fields that the dropsite requires', () => {
  const open = pages.render(PAGE, { ...aPage('Ada'), requiresPassword: false, description: '', limits: '' });
  const closed = pages.render(PAGE, { ...aPage('Ada'), allowAnonymous: false });
  expect(open).not.toMatch(/id="password"|class="lead|<p class="note">\s*<\/p>/);
  expect(open).toContain('(optional)');
  expect(closed).toMatch(/id="password"[\s\S]*id="email"[^>]* required/);
  expect(closed).not.toContain('(optional)');
});
