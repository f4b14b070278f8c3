import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

interface Subscription extends Record<string, unknown> {
  readonly id: number;
}

describe('the subscriptions of the console', () => {
  const stage = useConsole({ egressAllowlist: ['127.0.0.1'], retryScheduleSeconds: [] });
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => await receiver.close());
  const list = async (): Promise<Subscription[]> =>
    (await call<Subscription[]>(`${stage.app.url}/v5/subscriptions`, { token: stage.token })).body;

  it('create one that calls a server, try it, show its attempts, repeat one, and delete it', async () => {
    const { page, app, token } = stage;
    await stage.open('/subscriptions');
    await page.getByRole('heading', { name: 'No subscription yet' }).waitFor();
    await page.getByRole('link', { name: 'New subscription' }).click();
    await page.getByLabel('Address').fill('ftp://example.org');
    await page.getByLabel('Body as JSON').fill('{"container":');
    await page.getByRole('button', { name: 'Create the subscription' }).click();
    await page.getByText('This is not valid JSON.').waitFor();
    await page.getByLabel('Body as JSON').fill('{"container": ":mediaContainerId", "note": "<script>"}');
    await page.getByRole('button', { name: 'Create the subscription' }).click();
    await page.locator('.mantine-InputWrapper-error').first().waitFor();
    await page.getByLabel('Address').fill(`${receiver.origin()}/arrived`);
    await page.getByLabel('Headers, one a line').fill('x-api-key: s3cret');
    await page.getByLabel(/^role \(such as/).fill('null');
    await page.getByLabel('Notes').fill('tells the <b>shop</b>');
    await stage.inspect('subscription form');
    await page.getByRole('button', { name: 'Create the subscription' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await stage.inspect('subscription secret');
    const [created] = await list();
    expect(created).toMatchObject({ flag: 0, conditions: { payload: { role: null } }, notes: 'tells the <b>shop</b>' });
    await page.getByRole('link', { name: 'Go to the subscription' }).click();

    await page.getByLabel('Payload of the event, as JSON').fill('{"role": "subtitles"}');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('would not act.').waitFor();
    await page.getByText('payload.role: it needs null, the event has "subtitles".').waitFor();
    await page.getByText('Nothing was attempted yet.').waitFor();

    receiver.answer = (_, response) => void response.writeHead(500).end('out of order');
    await uploadMedia(app, token);
    await page.getByText('Failed (500)').waitFor();
    await page.getByText('What was sent').click();
    await page.locator('pre', { hasText: '"note": "<script>"' }).waitFor();
    await stage.inspect('subscription');
    receiver.answer = (_, response) => void response.writeHead(204).end();
    await page.getByRole('button', { name: /^Repeat attempt/ }).click();
    await page.getByText('Done (204)').waitFor();
    expect(receiver.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['s3cret', 's3cret']);

    await page.getByLabel('How often').selectOption('Until it has succeeded once');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The subscription is saved.').waitFor();
    expect(await list()).toMatchObject([{ flag: 2, instructions: [{ headers: { 'x-api-key': '********' } }] }]);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: `Delete A file has arrived (${created?.id})?` });
    await dialog.waitFor();
    await stage.inspect('subscription delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No subscription yet' }).waitFor();
    expect(await list()).toEqual([]);
  });

  it('create one from a template', async () => {
    const { page, app, token } = stage;
    const { body: dropsite } = await call(`${app.url}/v5/dropsite`, { token, body: { name: 'Photos' } });
    await stage.open('/subscriptions');
    await page.getByRole('button', { name: 'From a template' }).click();
    const dialog = page.getByRole('dialog', { name: 'From a template' });
    await dialog.getByLabel('Dropsite').selectOption('Photos');
    await stage.inspect('subscription template');
    await dialog.getByRole('button', { name: 'Create the subscription' }).click();
    await page.getByRole('heading', { name: 'An upload to a dropsite starts' }).waitFor();
    await stage.inspect('subscription from a template');
    expect(await list()).toMatchObject([{ name: 'event:dropsiteUploadStarted', conditions: { payload: { link: dropsite.link } } }]);
  });
});
