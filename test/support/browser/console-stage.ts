import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { aUser, PASSWORD } from '../accounts/scenario.js';
import { type TestApp, type TestAppOptions, useTestAppWithStorage } from '../app/test-app.js';
import { eventually } from '../eventually.js';
import { tokenOf } from '../media/uploads.js';
import { complaintsOf, launchChromium, scrollsSideways, seriousFindings, takePicture } from './chromium.js';

const SETTLED_MS = 2_000;

/** The console in Chromium, of a signed-in person of level 9 whose customer exists for each test. */
export interface ConsoleStage {
  readonly app: TestApp;
  context: BrowserContext;
  page: Page;
  user: Awaited<ReturnType<typeof aUser>>;
  /** What the page of a test may complain about, such as requests that the test lets fail; null: nothing. */
  expectedComplaint: RegExp | null;
  /** An access token of the person, for what a test prepares. */
  token: string;
  /** Opens an address below /console; the person is signed in the first time. */
  open(address: string): Promise<void>;
  /** Keeps a picture; expects that the page fits the window, and that axe-core finds nothing of importance. */
  inspect(name: string): Promise<void>;
}

/** A browser and a service for the tests of a file; expects that no page has complained. */
export function useConsole(options: TestAppOptions = {}, view: BrowserContextOptions = {}): ConsoleStage {
  const { app } = useTestAppWithStorage({ worker: 'inline', ...options });
  let browser: Browser;
  let complaints: string[];
  const stage = {
    app,
    open: async (address) => {
      await stage.page.goto(`${app.url}/console${address}`);
      const password = stage.page.locator('input[autocomplete~=current-password]');
      await stage.page.locator('main h1, input[autocomplete~=current-password]').first().waitFor();
      if (!(await password.isVisible())) return;
      await stage.page.locator('input[name=email]').fill(stage.user.email);
      await password.fill(PASSWORD);
      await password.press('Enter');
      await stage.page.locator('main h1').first().waitFor();
    },
    inspect: async (name) => {
      // A page that has just changed is laid out and coloured within moments.
      await eventually(async () => !(await scrollsSideways(stage.page)), SETTLED_MS).catch(() => {});
      await eventually(async () => (await seriousFindings(stage.page)).length === 0, SETTLED_MS).catch(() => {});
      await takePicture(stage.page, `console ${name}`);
      expect([await scrollsSideways(stage.page), await seriousFindings(stage.page)]).toEqual([false, []]);
    },
  } as ConsoleStage;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => await browser?.close());
  beforeEach(async () => {
    stage.user = await aUser(app, { adminLevel: 9 });
    stage.token = await tokenOf(app, stage.user);
    stage.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ...view });
    stage.page = await stage.context.newPage();
    stage.expectedComplaint = null;
    complaints = complaintsOf(stage.page);
  });
  afterEach(async () => {
    await stage.context.close();
    expect(complaints.filter((complaint) => !stage.expectedComplaint?.test(complaint))).toEqual([]);
  });
  return stage;
}
