import { describe, expect, it } from '@jest/globals';
import { Customer } from '../../src/modules/accounts/customer.entity.js';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { scrollsSideways } from '../support/browser/chromium.js';
import { type ConsoleStage, useConsole } from '../support/browser/console-stage.js';
import { aPng, uploadMedia } from '../support/media/media.js';

const UNKNOWN = 'This page does not exist';

/** The headings of the pages that everyone has. */
const COMMON = {
  '/start': 'Your first medium',
  '/': 'Library',
  '/?view=list': 'Library',
  '/formats': 'Formats',
  '/formats/new': 'Choose a blueprint for the new format',
  '/player-configurations': 'Player configurations',
  '/player-configurations/new': 'New player configuration',
  '/shares': 'Shares',
  '/dropsites': 'Dropsites',
  '/dropsites/new': 'New dropsite',
  '/subscriptions': 'Subscriptions',
  '/subscriptions/new': 'New subscription',
  '/activity': 'Activity',
  '/statistics': 'Statistics',
  '/settings': 'Settings',
};
const GERMAN = {
  '/start': 'Ihr erstes Medium',
  '/': 'Mediathek',
  '/?view=list': 'Mediathek',
  '/formats': 'Formate',
  '/formats/new': 'Wählen Sie eine Vorlage für das neue Format',
  '/player-configurations': 'Player-Konfigurationen',
  '/player-configurations/new': 'Neue Player-Konfiguration',
  '/shares': 'Freigaben',
  '/dropsites': 'Upload-Seiten',
  '/dropsites/new': 'Neue Upload-Seite',
  '/subscriptions': 'Abonnements',
  '/subscriptions/new': 'Neues Abonnement',
  '/activity': 'Aktivität',
  '/statistics': 'Statistik',
  '/settings': 'Einstellungen',
};
const withTeam = (heading: string) => ({ '/team': heading, '/team/applications': heading, '/team/audit': heading });

/** Opens the pages and a medium; answers their headings, each with what is wrong with the page. */
async function walk(stage: ConsoleStage, media: number): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  const { page } = stage;
  for (const address of [...Object.keys({ ...COMMON, ...withTeam('') }), '/customers', `/media/${media}`]) {
    await stage.open(address);
    await page.waitForLoadState('networkidle');
    const problems = await page.locator('main [role=alert]').allInnerTexts();
    if (await scrollsSideways(page)) problems.push('is wider than the window');
    seen[address] = [await page.locator('main h1').first().innerText(), ...problems].join(': ');
  }
  return seen;
}

const aMedium = async (stage: ConsoleStage) =>
  (await uploadMedia(stage.app, stage.token, { fileName: 'Harbour', fileExtension: 'png', content: aPng(32, 18) })).id;

describe('every page of the console is there', () => {
  const stage = useConsole();
  const accounts = () => stage.app.app.get(AccountsService);
  const nameOf = async (customerId: number) =>
    (await stage.app.app.get(Database).repository(Customer).findOneByOrFail({ id: customerId })).name;

  it('for an administrator', async () => {
    const id = await aMedium(stage);
    expect(await walk(stage, id)).toEqual({ ...COMMON, ...withTeam('Team'), '/customers': UNKNOWN, [`/media/${id}`]: 'Harbour' });
  });

  it('for a person of level 0', async () => {
    const id = await aMedium(stage);
    stage.user = await aUser(stage.app, { customer: await nameOf(stage.user.customerId) });
    expect(await walk(stage, id)).toEqual({ ...COMMON, ...withTeam(UNKNOWN), '/customers': UNKNOWN, [`/media/${id}`]: 'Harbour' });
  });

  it('for an operator', async () => {
    stage.user = await aUser(stage.app, { customer: 'Operator', adminLevel: 100 });
    await accounts().declareCustomer({ name: 'Operator', operator: true });
    const id = await aMedium(stage); // of another customer
    stage.expectedComplaint = /404/;
    expect(await walk(stage, id)).toEqual({
      ...COMMON,
      '/': COMMON['/start'], // they have no media yet
      '/?view=list': COMMON['/start'],
      ...withTeam('Team'),
      '/customers': 'Customers',
      [`/media/${id}`]: UNKNOWN,
    });
  });

  it('for an administrator who may only read', async () => {
    const id = await aMedium(stage);
    const scope = 'openid profile email api:read';
    await stage.page.route('**/v4/authorize?*', async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('scope', scope);
      await route.continue({ url: url.href });
    });
    await stage.page.route('**/v4/requestCode', async (route) => {
      await route.continue({ postData: { ...route.request().postDataJSON(), scope } });
    });
    expect(await walk(stage, id)).toEqual({ ...COMMON, ...withTeam('Team'), '/customers': UNKNOWN, [`/media/${id}`]: 'Harbour' });
  });

  it('for support staff who act for an administrator', async () => {
    const id = await aMedium(stage);
    const { id: userId, customerId } = stage.user;
    await accounts().declareCustomer({ name: await nameOf(customerId), supportAccessUntil: new Date(Date.now() + 3_600_000) });
    stage.user = await aUser(stage.app, { customer: 'Support', adminLevel: 2 });
    await accounts().declareCustomer({ name: 'Support', operator: true });
    const casa = Buffer.from(JSON.stringify({ customerId, userId, reason: 'ticket 1' })).toString('base64');
    await stage.page.route('**/v4/token', async (route) => {
      const body = new URLSearchParams(route.request().postData() ?? '');
      body.set('casa', casa);
      await route.continue({ postData: body.toString() });
    });
    expect(await walk(stage, id)).toEqual({ ...COMMON, ...withTeam('Team'), '/customers': UNKNOWN, [`/media/${id}`]: 'Harbour' });
  });
});

describe('every page of the console in German', () => {
  const stage = useConsole({}, { viewport: { width: 360, height: 740 }, locale: 'de-DE', colorScheme: 'dark' });

  it('is there, and fits a phone', async () => {
    const id = await aMedium(stage);
    expect(await walk(stage, id)).toEqual({
      ...GERMAN,
      ...withTeam('Team'),
      '/customers': 'Diese Seite gibt es nicht',
      [`/media/${id}`]: 'Harbour',
    });
  });
});
