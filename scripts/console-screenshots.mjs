// Takes pictures of every page of the console, on a desktop and on a phone, light and dark, for people to look through before a page is called done.
// scripts/screenshots.mjs runs it after its own pictures; they go to screenshots/console/, which is not part of the repository.
import { mkdirSync } from 'node:fs';
import path from 'node:path';

const VARIANTS = [1280, 390].flatMap((width) => ['light', 'dark'].map((colorScheme) => ({ width, colorScheme })));
const HEIGHTS = { 1280: 800, 390: 844 };
/** Until nothing of a page is being loaded. */
const SETTLED_MS = 5_000;

/** The pages by the name of their pictures. `medium`: a media container with files and links; `first`: the first one of a list, by its link. */
const PAGES = [
  { name: 'start', address: '/start' },
  { name: 'library', address: '/' },
  { name: 'library-list', address: '/?view=list' },
  { name: 'medium', address: ({ medium }) => `/media/${medium}` },
  {
    name: 'upload',
    address: '/',
    prepare: async (page) => await page.getByRole('button', { name: 'Upload', exact: true }).first().click(),
  },
  { name: 'formats', address: '/formats' },
  { name: 'format', address: '/formats', first: 'a[href*="/formats/"]:not([href*="new"])' },
  { name: 'player-configurations', address: '/player-configurations' },
  { name: 'player-configuration-new', address: '/player-configurations/new' },
  { name: 'player-configuration', address: '/player-configurations', first: 'a[href*="/player-configurations/"]:not([href*="new"])' },
  { name: 'shares', address: '/shares' },
  { name: 'dropsites', address: '/dropsites' },
  { name: 'dropsite-new', address: '/dropsites/new' },
  { name: 'dropsite', address: '/dropsites', first: 'a[href*="/dropsites/"]:not([href*="new"])' },
  { name: 'subscriptions', address: '/subscriptions' },
  { name: 'subscription-new', address: '/subscriptions/new' },
  { name: 'activity', address: '/activity' },
  { name: 'statistics', address: '/statistics' },
  { name: 'team', address: '/team' },
  { name: 'customers', address: '/customers' },
  { name: 'settings', address: '/settings' },
];

/** Takes the pictures into `target`; `signIn` signs in on a page that asks for it, and resolves when the console is there. */
export async function takeConsole(browser, { service, medium, signIn, target }) {
  mkdirSync(target, { recursive: true });
  const at = (address) => `${service}/console${typeof address === 'function' ? address({ medium }) : address}`;
  for (const { width, colorScheme } of VARIANTS) {
    const context = await browser.newContext({
      viewport: { width, height: HEIGHTS[width] },
      colorScheme,
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    try {
      const page = await context.newPage();
      await page.goto(at('/'));
      await signIn(page);
      for (const { name, address, first, prepare } of PAGES) {
        await page.goto(at(address));
        await page.locator('main h1').first().waitFor();
        if (first && !(await openFirst(page, first))) continue;
        await prepare?.(page);
        await page.waitForLoadState('networkidle', { timeout: SETTLED_MS }).catch(() => {}); // some pages ask again and again
        await page.screenshot({ path: path.join(target, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
    } finally {
      await context.close();
    }
  }
}

/** Opens the first link that fits; false: the list has none. */
async function openFirst(page, selector) {
  const link = page.locator(`main ${selector}`).first();
  await link.waitFor({ timeout: SETTLED_MS }).catch(() => {});
  if ((await link.count()) === 0) return false;
  await link.click();
  await page.locator('main h1').first().waitFor();
  return true;
}
