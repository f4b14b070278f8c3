import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { debianProgram } from '../debian-program.js';
import { MAX_WAIT_MS } from '../eventually.js';

/** No sandbox, because CI is root; and nothing that Chromium does of its own accord over the network. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const BLOCKED = 2; // Chromium's CONTENT_SETTING_BLOCK

/**
 * Debian's Chromium without the parts that draw its windows, which take more processor time than the pages. Throws when it is missing: its tests are not
 * skipped.
 */
export const launchChromium = async (more: readonly string[] = []): Promise<Browser> => await launch('chromium-headless-shell', more);

/** The whole Chromium, which alone shows PDFs and blocks the cookies of third parties. */
export const launchWholeChromium = async (more: readonly string[] = []): Promise<Browser> => await launch('chromium', more);

async function launch(program: string, more: readonly string[]): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: debianProgram(program), args: [...ARGUMENTS, ...more] });
  browser.on('context', (context) => context.setDefaultTimeout(MAX_WAIT_MS));
  return browser;
}

/**
 * A whole Chromium whose user blocks all cookies, partitioned ones too, of the host `of` on pages of the host `on`. The
 * profile lives in `folder`.
 */
export async function launchChromiumBlockingCookies(folder: string, { of, on }: { of: string; on: string }): Promise<BrowserContext> {
  const cookies = { [`${of},${on}`]: { setting: BLOCKED } };
  mkdirSync(path.join(folder, 'Default'), { recursive: true });
  writeFileSync(path.join(folder, 'Default/Preferences'), JSON.stringify({ profile: { content_settings: { exceptions: { cookies } } } }));
  return await chromium.launchPersistentContext(folder, { executablePath: debianProgram('chromium'), args: ARGUMENTS });
}

/** Collects what a page complains about in its console (violations of the Content-Security-Policy too), apart from answers of 4xx. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const isAnswer = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  return complaints;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FINDINGS = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => [id, ...nodes.map(({ target }) => target.join(' '))]))`;

/** What axe-core finds of importance on a page: the rule, and the elements. */
export async function seriousFindings(page: Page): Promise<readonly string[][]> {
  await page.evaluate(AXE);
  return await page.evaluate(FINDINGS);
}

/** Half of a screen 640 pixels wide at 200 % zoom: pages have to work there without being wider than it (WCAG 2.2, 1.4.10). */
export const NARROW = { width: 320, height: 512 };

/** What a screen of 1280 × 800 pixels shows at 200 % zoom, in CSS pixels: text may be this large without loss of content (WCAG 2.2, 1.4.4). */
export const ZOOMED = { width: 640, height: 400 };

/** Whether a page is wider than its window. */
export const scrollsSideways = async (page: Page): Promise<boolean> =>
  await page.evaluate('document.documentElement.scrollWidth > innerWidth');

/** Keeps a picture of the page in SCREENSHOT_DIR, for people who work on the pages; nothing without it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOT_DIR;
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}
