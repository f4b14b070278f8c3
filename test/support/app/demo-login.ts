import { TestBrowser } from '../browser/browser.js';
import type { RunningProgram } from './program.js';

/** Signs in at the account page with the login that `npm start` printed. */
export async function signInWithDemoLogin({ url, login }: RunningProgram): Promise<TestBrowser> {
  const browser = new TestBrowser(url);
  const page = await browser.follow('/account');
  await browser.submit(await page.response.text(), '/login', { ...login, remember: 'yes' });
  if (!(await isSignedIn(browser))) throw new Error('The printed login does not work.');
  return browser;
}

export const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
  (await (await browser.open('/account')).text()).includes('Your account');
