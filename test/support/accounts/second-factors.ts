import { SecondFactorsService, type User } from '../../../src/modules/accounts/index.js';
import { timeStep, totpCode } from '../../../src/modules/accounts/second-factors/totp.js';
import { Clock } from '../../../src/shared/clock.js';
import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';
import type { TestBrowser } from '../browser/browser.js';
import { authorizeUrl, PASSWORD } from './scenario.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of a text in base32, of which blanks are ignored. */
export function fromBase32(text: string): Buffer {
  const bits = [...text.replaceAll(/\s/g, '')].map((character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The secret that a page of the enrolment shows. */
export const secretOn = (html: string): Buffer => fromBase32(/<code class="secret">([A-Z2-7 ]+)<\/code>/.exec(html)?.[1] ?? '');

/** The recovery codes that a page shows. */
export const codesOn = (html: string): string[] =>
  [...html.matchAll(/<li><code>([A-Z2-7]{13})<\/code><\/li>/g)].map(([, code = '']) => code);

/** The code of an authenticator app; `steps` time steps later or, if negative, earlier. */
export const codeOf = ({ app }: TestApp, secret: Buffer, steps = 0): string => totpCode(secret, timeStep(app.get(Clock).now()) + steps);

/** Lets the codes that were used so far be used again, instead of waiting for the next ones. */
export const forgetUsedSteps = async ({ app }: TestApp): Promise<void> =>
  void (await app.get(Database).query('UPDATE second_factors SET last_step = 0'));

/** Enters e-mail and password, and returns the page that follows. */
export async function enterPassword(
  app: TestApp,
  browser: TestBrowser,
  { user, query }: { user: { email: string }; query: Record<string, string> },
) {
  const { response } = await browser.follow(authorizeUrl(app.url, query));
  const page = await browser.submit(await response.text(), '/login', { email: user.email, password: PASSWORD });
  return { url: page.url, status: page.response.status, html: page.url.origin === browser.origin ? await page.response.text() : '' };
}

/** A person with an authenticator app, enrolled at a sign-in because it is required; returns the secret and the recovery codes. */
export async function enrolApp(app: TestApp, browser: TestBrowser, { user, query }: { user: User; query: Record<string, string> }) {
  await app.app.get(Database).query('UPDATE users SET require_second_factor = true WHERE id = $1', [user.id]);
  const { html } = await enterPassword(app, browser, { user, query });
  const secret = secretOn(html);
  const codes = await browser.submit(html, '/enrol-app', { code: codeOf(app, secret) });
  const shown = await codes.response.text();
  const { url } = await browser.submit(shown, '/finish');
  await forgetUsedSteps(app);
  return { secret, codes: codesOn(shown), url };
}

/** The kinds of second factors that a person has. */
export const factorsOf = async ({ app }: TestApp, { id }: User) => await app.get(SecondFactorsService).describe(id);
