import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { useConsole } from '../support/browser/console-stage.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

const MARKUP = '<img src=x onerror=alert(1)>"\'&';
/** A mark that turns the direction of what follows round, with no mark that ends it. */
const TURNED = '\u202egnp.evil';
/** As long as names may be. */
const NAME = `${MARKUP} ${'wide'.repeat(53)}${TURNED}`;
/** As long as texts may be. */
const TEXT = `${MARKUP} ${'w'.repeat(5_000)} ${'\u0645\u0631\u062d\u0628\u0627 '.repeat(700)}`.padEnd(9_980, '<b>') + TURNED;

describe('text of strangers in the console, on a phone', () => {
  const stage = useConsole({ worker: 'off' }, { viewport: { width: 360, height: 740 } });
  const create = async (path: string, body: object) => {
    const answer = await call<{ id: number }>(`${stage.app.url}/v5${path}`, { token: stage.token, body });
    expect([path, answer.status, answer.status < 300 ? null : answer.body]).toEqual([path, expect.any(Number), null]);
    return answer.body.id;
  };

  /** Resources of each kind whose texts are hostile; returns the addresses of their pages. */
  async function prepare(): Promise<readonly (readonly [string, string])[]> {
    const { app, token, user } = stage;
    const database = app.app.get(Database);
    const medium = await uploadMedia(app, token, { fileName: 'harbour.png' });
    await call(`${app.url}/v5/mediacontainer/${medium.id}`, { method: 'PUT', token, body: { name: NAME, tags: [NAME] } });
    await call(`${app.url}/v5/customer`, { method: 'PUT', token, body: { name: NAME } });
    const { body: formats } = await call<{ id: number; name: string; converter: string }[]>(`${app.url}/v5/format`, { token });
    const jpeg = formats.find(({ name }) => name === 'JPEG');
    const format = await create('/format', { name: NAME, blueprintId: jpeg?.id, converter: jpeg?.converter });
    const rules = { authOnly: false, matchReferer: ['www.example.org'] };
    const configuration = await create('/playerconfiguration', {
      ...{ name: NAME, type: 'image', templateId: 1, formats: [{ formatId: format }], securitySettings: rules },
    });
    await create(`/embedlink/${medium.id}`, { playerConfigurationId: configuration, description: NAME });
    await create('/downloadlink', { mediaContainerIds: [medium.id], formatIds: [format], title: NAME });
    const dropsite = await create('/dropsite', { name: NAME, description: TEXT });
    const subscription = await create('/subscriptions', {
      ...{ name: 'event:s3success', flag: 0, notes: TEXT, conditions: { payload: { role: NAME } } },
      instructions: [{ type: 'email', to: [{ recipient: 'desk@example.org' }], subject: NAME, text: TEXT }],
    });
    await database.query(
      `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, reason, duration_ms)
       VALUES ($1, 0, 0, $2, 1, 'https', 500, $3, 12)`,
      [subscription, NAME, TEXT],
    );
    await database.query(
      `INSERT INTO activities (id, customer_id, type, status, media_container_id, format_id, code, message, log, finished_at)
       VALUES (gen_random_uuid(), $1, 'transcoding', 'failed', $2, $3, 'tool_failed', $4, $4, now())`,
      [user.customerId, medium.id, format, TEXT],
    );
    await database.query(
      `INSERT INTO daily_figures (customer_id, day, media_container_id, embed_link_id, player_configuration_id, host, device, rule, plays, watched_seconds, refused)
       VALUES ($1, current_date, $2, 9, $3, $4, 'phone', '', 12, 60, 0)`,
      [user.customerId, medium.id, configuration, NAME],
    );
    return [
      ['formats', '/formats?type=image'],
      ['format', `/formats/${format}`],
      ['player configurations', '/player-configurations'],
      ['player configuration', `/player-configurations/${configuration}`],
      ['shares', '/shares'],
      ['download links', '/shares?kind=download'],
      ['dropsites', '/dropsites'],
      ['dropsite', `/dropsites/${dropsite}`],
      ['subscriptions', '/subscriptions'],
      ['subscription', `/subscriptions/${subscription}`],
      ['activity', '/activity?status=failed'],
      ['statistics', '/statistics?by=mediaContainer'],
      ['statistics of websites', '/statistics?by=host'],
      ['settings', '/settings'],
    ];
  }

  it('is shown as text, and breaks no page', async () => {
    const { page } = stage;
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const [name, address] of await prepare()) {
      await stage.open(address);
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'hidden' });
      if (name === 'activity') await page.getByText('Last output of the program').click();
      if (name !== 'settings') await page.locator('main').getByText(MARKUP).locator('visible=true').first().waitFor();
      expect(await page.locator('img[src=x]').count()).toBe(0);
      await stage.inspect(`foreign text ${name}`);
    }
    expect(dialogs).toEqual([]);
  });

  it('fits the shared elements in all states, which have a page of their own outside production', async () => {
    const { page } = stage;
    await stage.open('/elements');
    await page.getByRole('heading', { name: 'Elements', level: 1 }).first().waitFor();
    await stage.inspect('elements on a phone');
    await page.getByRole('button', { name: 'Destroy' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Destroy' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await stage.inspect('elements dialog on a phone');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await stage.inspect('elements message on a phone');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await stage.inspect('elements, dark');

    await page.route('**/console/elements', async (route) => {
      const response = await route.fetch();
      const body = (await response.text())
        .replace('content="development"', 'content="production"')
        .replace('content="test"', 'content="production"');
      await route.fulfill({ response, body });
    });
    await page.goto(`${stage.app.url}/console/elements`);
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  });
});
