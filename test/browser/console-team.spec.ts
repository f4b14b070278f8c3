import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aMetadata } from '../support/accounts/administration.js';
import { aClient, aUser, obtainTokens, PASSWORD } from '../support/accounts/scenario.js';
import { enrolApp } from '../support/accounts/second-factors.js';
import { TestBrowser } from '../support/browser/browser.js';
import { seriousFindings } from '../support/browser/chromium.js';
import { useConsole } from '../support/browser/console-stage.js';
import { eventually } from '../support/eventually.js';
import { call } from '../support/media/uploads.js';

/** Text as strangers may send it: markup, as long as a name may be, with a mark that turns its direction round. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202e${'wide'.repeat(50)}`;

describe('the team of the console', () => {
  const stage = useConsole({ worker: 'off' });
  const customer = async () => (await call<{ id: number; name: string }>(`${stage.app.url}/v5/customer`, { token: stage.token })).body;
  const get = async <T>(address: string) => (await call<T>(`${stage.app.url}${address}`, { token: stage.token })).body;
  const aColleague = async (overrides: object = {}) => await aUser(stage.app, { customer: (await customer()).name, ...overrides });
  const heading = (name: string) => stage.page.getByRole('heading', { name, exact: true });
  const button = (name: string) => stage.page.getByRole('button', { name, exact: true });
  const tabs = () => stage.page.getByRole('navigation', { name: 'Pages of the team' });
  const dialog = (name: string) => stage.page.getByRole('dialog', { name });
  const inDark = async (name: string) => {
    await stage.page.emulateMedia({ colorScheme: 'dark' });
    await stage.inspect(`${name}, dark`);
    await stage.page.setViewportSize({ width: 360, height: 740 });
    await stage.inspect(`${name} on a phone, dark`);
    await stage.page.emulateMedia({ colorScheme: 'light' });
    await stage.inspect(`${name} on a phone`);
    await stage.page.setViewportSize({ width: 1280, height: 900 });
  };
  /** Expects that the secret is in no address and no storage of the page. */
  const expectForgotten = async (secret: string) => {
    const kept: string = await stage.page.evaluate(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }]) + document.documentElement.outerHTML',
    );
    expect(kept).not.toContain(secret);
  };

  it('invites people, changes, disables, enables and deletes them', async () => {
    const { page } = stage;
    const taken = await aUser(stage.app, {});
    await stage.open('/team');
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Team' }).waitFor();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await stage.inspect('team');
    await page.getByRole('link', { name: 'Invite a person' }).click();
    await button('Send the invitation').click();
    await page.getByText('Enter an e-mail address.').waitFor();
    await page.getByLabel('E-mail address').fill(taken.email);
    await page.getByLabel('Level').fill('10');
    await button('Send the invitation').click();
    await page.getByText('At most 9, your own level.').waitFor();
    await page.getByLabel('Level').fill('9');
    await button('Send the invitation').click();
    await page.getByText('Another user, perhaps of another organisation, has this e-mail address.').waitFor();
    await stage.inspect('team invitation with errors');
    await page.getByLabel('E-mail address').fill('grace@example.org');
    await page.getByLabel('First name').fill(HOSTILE);
    await button('Send the invitation').click();
    await heading(HOSTILE).waitFor();
    await page.getByText('No password').waitFor();
    const [grace] = await get<{ id: number }[]>('/v5/user?email=grace@example.org');
    await inDark('team person');

    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.getByRole('switch', { name: 'Needs a second factor to sign in with a password' }).click();
    await button('Save').click();
    await heading('Grace Hopper').waitFor();
    await page.getByText('Second factor missing').waitFor();
    await button('Send the invitation again').click();
    await page.getByText('Grace Hopper is invited.').last().waitFor();
    await button('Disable').click();
    await button('Enable').waitFor();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await button('Undo').click();
    await button('Disable').waitFor();
    expect(await get(`/v5/user/${grace?.id}`)).toMatchObject({ firstname: 'Grace', requireSecondFactor: true, disabledAt: null });

    await button('Delete').click();
    await dialog('Delete Grace Hopper?').getByText('the audit trail keeps the number of the person').waitFor();
    await stage.inspect('team delete');
    await dialog('Delete Grace Hopper?').getByRole('button', { name: 'Delete' }).click();
    await heading('Team').waitFor();
    expect(await get('/v5/user?email=grace@example.org')).toEqual([]);
  });

  it('finds people by name and state, keeps the search in the address, and says why the last administrator stays', async () => {
    const { page } = stage;
    await aColleague({ firstname: 'Jos\u00e9', lastname: 'Ruiz' });
    await aColleague({ kind: 'service', firstname: 'Robot', lastname: '' });
    await stage.open('/team');
    await page.getByRole('link', { name: 'Jos\u00e9 Ruiz' }).waitFor();
    await page.getByLabel('Name or e-mail address').fill('jose');
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor({ state: 'detached' });
    await page.waitForURL(/search=jose/);
    await page.getByLabel('Name or e-mail address').fill('');
    await page.getByLabel('Show', { exact: true }).selectOption('services');
    await page.getByRole('link', { name: 'Robot' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Robot' }).waitFor();
    expect(await page.getByRole('link', { name: 'Ada Lovelace' }).count()).toBe(0);
    await page.getByLabel('Name or e-mail address').fill('nothing of that kind');
    await heading('No person matches').waitFor();
    await stage.inspect('team without match');

    await stage.open(`/team/people/${stage.user.id}`);
    await page.getByText('You', { exact: true }).waitFor();
    expect([await button('Disable').count(), await button('Delete').count()]).toEqual([0, 0]);
    await page.getByLabel('Level').fill('0');
    await button('Save').click();
    await page.getByText('This is the last administrator of the organisation who can sign in.').waitFor();
    expect(await get(`/v5/user/${stage.user.id}`)).toMatchObject({ adminLevel: 9 });
  });

  it('cannot change people above, and signs people out in one browser and everywhere', async () => {
    const { page } = stage;
    const above = await aColleague({ adminLevel: 50, firstname: 'Katherine', lastname: 'Johnson' });
    await stage.open(`/team/people/${above.id}`);
    await page.getByText('This person has level 50, which is above yours: you cannot change it.').waitFor();
    expect([await button('Save').count(), await button('Delete').count(), await button('New access key').count()]).toEqual([0, 0, 0]);
    expect(await page.getByLabel('First name').isDisabled()).toBe(true);

    const below = await aColleague({ firstname: 'Mary', lastname: 'Jackson' });
    const client = await aClient(stage.app);
    await obtainTokens(stage.app, { user: below, client });
    await obtainTokens(stage.app, { user: below, client });
    await stage.open(`/team/people/${below.id}`);
    await page
      .getByRole('button', { name: /^Sign out .*, signed in/ })
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: /^Sign out .*, signed in/ }).count()).toBe(2);
    await inDark('team person with sessions');
    await page
      .getByRole('button', { name: /^Sign out .*, signed in/ })
      .first()
      .click();
    await dialog('Sign out this browser?').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The browser is signed out.').waitFor();
    await dialog('Sign out this browser?').waitFor({ state: 'detached' });
    expect(await get<unknown[]>(`/v5/user/${below.id}/sessions`)).toHaveLength(1);
    await eventually(async () => await page.evaluate('document.activeElement !== document.body'));
    await button('Sign out everywhere').click();
    await stage.inspect('team sign out everywhere');
    await dialog('Sign out everywhere?').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByText('Signed in nowhere.').waitFor();
    expect(await get(`/v5/user/${below.id}/sessions`)).toEqual([]);
  });

  it('allows a person who has lost the second factor a new one', async () => {
    const { page, app } = stage;
    const user = await aColleague({ firstname: 'Annie', lastname: 'Easley' });
    const { clientId } = await aClient(app);
    await enrolApp(app, new TestBrowser(app.url), { user, query: { client_id: clientId, scope: 'openid api' } });
    await stage.open(`/team/people/${user.id}`);
    await button('Allow a new second factor').click();
    await stage.inspect('team new second factor');
    await dialog('Allow Annie Easley a new second factor?').getByRole('button', { name: 'Allow a new second factor' }).click();
    await page.getByText('Annie Easley has got a mail.').waitFor();
    expect(await get(`/v5/audit?subject=user:${user.id}&action=user.allow_factor_reset`)).toHaveLength(1);
  });

  it('creates an application, shows its secret once, replaces the secret, and deletes it', async () => {
    const { page } = stage;
    await stage.open('/team/applications');
    await heading('There is no application').waitFor();
    await stage.inspect('team without applications');
    await page.getByRole('link', { name: 'New application' }).click();
    await button('Create the application').click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Enter at least one redirect URI').waitFor();
    await page.getByLabel('Name', { exact: false }).first().fill(HOSTILE);
    await page.getByLabel('Redirect URIs', { exact: true }).fill('https://newsroom.example/callback#fragment');
    await page.getByRole('switch', { name: 'It authenticates by a secret' }).click();
    await button('Create the application').click();
    await page.locator('textarea[aria-invalid=true]').waitFor();
    await stage.inspect('team application with errors');
    await page.getByLabel('Redirect URIs', { exact: true }).fill('https://newsroom.example/callback\nhttps://newsroom.example/other');
    await button('Create the application').click();
    const shown = dialog('Shown only now');
    await shown.getByText('Copy it to a safe place.').waitFor();
    const secret = (await shown.locator('code').nth(1).textContent()) ?? '';
    expect(secret.length).toBeGreaterThan(20);
    await inDark('team secret');
    await shown.getByRole('button', { name: 'Copy: Secret' }).waitFor();
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await heading(HOSTILE).waitFor();
    await shown.waitFor({ state: 'detached' });
    await expectForgotten(secret);
    const [client] = await get<{ id: number; redirectUris: string[] }[]>('/v5/client');
    expect(client).toMatchObject({
      confidential: true,
      redirectUris: ['https://newsroom.example/callback', 'https://newsroom.example/other'],
    });

    await page.getByLabel('Name', { exact: false }).first().fill('Newsroom');
    await button('Save').click();
    await heading('Newsroom').waitFor();
    await inDark('team application');
    await button('Replace the secret').click();
    await dialog('Replace the secret').getByLabel('The previous secret stays valid').selectOption('For a week');
    await stage.inspect('team replace the secret');
    await dialog('Replace the secret').getByRole('button', { name: 'Replace the secret' }).click();
    await shown.locator('code').waitFor();
    const rotated = (await shown.locator('code').textContent()) ?? '';
    expect([rotated === secret, rotated.length > 20]).toEqual([false, true]);
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    await expectForgotten(rotated);

    await page.getByRole('switch', { name: 'It authenticates by a secret' }).click();
    await page.getByText('Saving removes its secret for good.').waitFor();
    await button('Save').click();
    await button('Replace the secret').waitFor({ state: 'detached' });
    await button('Delete').click();
    await dialog('Delete Newsroom?').getByRole('button', { name: 'Delete' }).click();
    await heading('There is no application').waitFor();
  });

  it('creates access keys for people, and deletes them', async () => {
    const { page } = stage;
    const robot = await aColleague({ kind: 'service', firstname: 'Robot', lastname: '' });
    await stage.open('/team/access-keys');
    await heading('There is no access key').waitFor();
    await button('New access key').click();
    await dialog('New access key').getByRole('button', { name: 'Create the access key' }).click();
    await page.getByText('Choose a user.').waitFor();
    await stage.inspect('team new access key');
    await dialog('New access key').getByLabel('User as whom it acts').fill('Robot');
    await page.getByRole('option', { name: /Robot/ }).click();
    await dialog('New access key').getByRole('button', { name: 'Create the access key' }).click();
    const shown = dialog('Shown only now');
    const secret = (await shown.locator('code').nth(1).textContent()) ?? '';
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await shown.waitFor({ state: 'detached' });
    await expectForgotten(secret);
    const [key] = await get<{ accessKey: string; userId: number }[]>('/v5/accessKey');
    expect(key?.userId).toBe(robot.id);
    await page.getByRole('link', { name: 'Robot' }).waitFor();
    await inDark('team access keys');
    await button(`Delete ${key?.accessKey}`).click();
    await dialog(`Delete ${key?.accessKey}?`).getByText('Requests that are signed with this key are refused at once.').waitFor();
    await stage.inspect('team delete access key');
    await dialog(`Delete ${key?.accessKey}?`).getByRole('button', { name: 'Delete' }).click();
    await heading('There is no access key').waitFor();
    await eventually(async () => await page.evaluate('document.activeElement !== document.body'));

    await stage.open(`/team/people/${robot.id}`);
    await page.getByText('No access key acts as this user.').waitFor();
    await button('New access key').click();
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    expect(await get<unknown[]>(`/v5/accessKey?userId=${robot.id}`)).toHaveLength(1);
  });

  it('asks the person to confirm where a key needs it, and comes back to what was typed', async () => {
    const { page, app } = stage;
    const robot = await aColleague({ kind: 'service', firstname: 'Robot', lastname: '' });
    stage.expectedComplaint = /403/;
    await stage.open('/team/access-keys');
    const longAgo = `UPDATE oidc_records SET payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch FROM now())::int - 301))
      WHERE model = 'Session' AND account_id = $1`;
    await app.app.get(Database).query(longAgo, [stage.user.id]);
    await page.reload();
    await button('New access key').click();
    await dialog('New access key').getByLabel('User as whom it acts').fill('Robot');
    await page.getByRole('option', { name: /Robot/ }).click();
    await dialog('New access key').getByRole('button', { name: 'Create the access key' }).click();
    await page.getByText('Confirm that it is you').waitFor();
    await stage.inspect('team access key needs a confirmation');
    await button('Confirm').click();
    const password = page.locator('input[autocomplete~=current-password]');
    await password.fill(PASSWORD);
    await password.press('Enter');
    await dialog('New access key').getByRole('button', { name: 'Create the access key' }).click();
    await dialog('Shown only now').getByRole('button', { name: 'I have copied it' }).click();
    expect(await get<{ userId: number }[]>('/v5/accessKey')).toMatchObject([{ userId: robot.id }]);
    expect(new URL(page.url()).pathname).toBe('/console/team/access-keys');
  });

  it('adds an identity provider from a file, replaces its metadata, and deletes it', async () => {
    const { page, app } = stage;
    const file = path.join(tmpdir(), `metadata-${process.pid}.xml`);
    writeFileSync(file, await aMetadata());
    await stage.open('/team/identity-providers');
    await heading('There is no identity provider').waitFor();
    await page.getByRole('link', { name: 'New identity provider' }).click();
    await button('Create the identity provider').click();
    await page.getByText('Enter letters, digits, dots, hyphens or underscores.').waitFor();
    await page.getByText('Paste the metadata, or choose its file.').waitFor();
    await page.getByLabel('Identifier').fill(`acme-${stage.user.id}`);
    await page.getByLabel('Metadata (XML)').fill('<not metadata');
    await button('Create the identity provider').click();
    await page.locator('textarea[aria-invalid=true]').waitFor();
    await stage.inspect('team identity provider with errors');
    await page.locator('input[type=file]').setInputFiles(file);
    await eventually(async () => (await page.getByLabel('Metadata (XML)').inputValue()) === readFileSync(file, 'utf8'));
    await page.getByLabel('Attribute with the e-mail address').fill('mail');
    await button('Create the identity provider').click();
    await heading(`acme-${stage.user.id}`).waitFor();
    await page.getByText(`${app.url}/v4/saml/acme-${stage.user.id}/acs`, { exact: true }).waitFor();
    await page.getByText(/^Certificate 1: Valid from/).waitFor();
    await inDark('team identity provider');

    await page.getByLabel('Metadata (XML)').fill(await aMetadata('https://new.example/metadata'));
    await button('Replace the metadata').click();
    await page.getByText('https://new.example/metadata').waitFor();
    await page.getByRole('switch', { name: /^Create a person who is not known yet/ }).click();
    await button('Save').click();
    await page.getByText('The identity provider is saved.').waitFor();
    const [provider] = await get<object[]>('/v5/identityProvider');
    expect(provider).toMatchObject({ issuer: 'https://new.example/metadata', createUsers: true, attributeMapping: { email: 'mail' } });
    await tabsAfterBack();
    await page.getByRole('link', { name: `acme-${stage.user.id}` }).click();
    await button('Delete').click();
    await dialog(`Delete acme-${stage.user.id}?`).getByRole('button', { name: 'Delete' }).click();
    await heading('There is no identity provider').waitFor();
  });

  const tabsAfterBack = async () => {
    await stage.page.getByRole('link', { name: 'Back to the identity providers' }).click();
    await tabs().waitFor();
    await stage.inspect('team identity providers');
  };

  it('shows the audit trail with names, filtered by the address, and downloads it', async () => {
    const { page } = stage;
    const colleague = await aColleague({ firstname: 'Dorothy', lastname: 'Vaughan' });
    for (const step of ['disable', 'enable']) {
      await call(`${stage.app.url}/v5/user/${colleague.id}/${step}`, { method: 'POST', token: stage.token });
    }
    await call(`${stage.app.url}/v5/accessKey`, { method: 'POST', token: stage.token, body: { userId: colleague.id } });
    await stage.open('/team');
    await tabs().getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('cell', { name: 'access_key.create' }).waitFor();
    await page.getByRole('link', { name: 'Dorothy Vaughan' }).first().waitFor();
    await page.getByRole('link', { name: 'Ada Lovelace' }).first().waitFor();
    await inDark('team audit');
    await page.getByLabel('Action').fill('user.disable');
    await page.getByRole('cell', { name: 'access_key.create' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Who' }).fill('Ada');
    await page.getByRole('option', { name: 'Ada Lovelace' }).click();
    await page.waitForURL(new RegExp(`actor=user%3A${stage.user.id}`));
    await page.reload();
    await page.getByRole('cell', { name: 'user.disable' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download').click()]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ action: 'user.disable', subject: `user:${colleague.id}` }]);
    expect(download.suggestedFilename()).toBe('audit.jsonl');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await heading('No change matches').waitFor();
  });

  it('does not exist below level 9', async () => {
    const { page } = stage;
    stage.user = await aColleague();
    await stage.open('/team');
    await heading('This page does not exist').waitFor();
    expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0);
    await stage.open('/team/applications/new');
    await heading('This page does not exist').waitFor();
    await stage.open('/customers');
    await heading('This page does not exist').waitFor();
  });

  it('is read, and not changed, by support staff', async () => {
    const { page, app } = stage;
    const { id: customerId, name } = await customer();
    const accounts = app.app.get(AccountsService);
    await accounts.declareCustomer({ name, supportAccessUntil: new Date(Date.now() + 3_600_000) });
    const staff = await aUser(app, { customer: 'Support', adminLevel: 2 });
    await accounts.declareCustomer({ name: 'Support', operator: true });
    const administrator = stage.user;
    const casa = Buffer.from(JSON.stringify({ customerId, userId: administrator.id, reason: 'ticket 1' })).toString('base64');
    await page.route('**/v4/token', async (route) => {
      const body = new URLSearchParams(route.request().postData() ?? '');
      body.set('casa', casa);
      await route.continue({ postData: body.toString() });
    });
    await call(`${app.url}/v5/client`, {
      method: 'POST',
      token: stage.token,
      body: { name: 'Newsroom', type: 'web', redirectUris: ['https://newsroom.example/'] },
    });
    stage.user = staff;
    await stage.open('/team');
    await page.getByText('You have support access.').waitFor();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    expect(await page.getByRole('link', { name: 'Invite a person' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await heading('Access keys').waitFor();
    expect(await page.getByRole('button', { name: /Save|Delete|Disable|Sign out|New/ }).count()).toBe(0);
    await stage.inspect('team person with support access');
    for (const section of ['Applications', 'Access keys', 'Single sign-on', 'Audit']) {
      await stage.open('/team');
      await tabs().getByRole('link', { name: section }).click();
      await page.getByText('You have support access.').waitFor();
      expect(await page.getByRole('link', { name: /^New / }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^(New |Delete)/ }).count()).toBe(0);
    }
    await stage.open('/team/applications');
    await page.getByRole('link', { name: 'Newsroom' }).click();
    await heading('Newsroom').waitFor();
    expect(await page.getByRole('button', { name: /Save|Delete|Replace/ }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
