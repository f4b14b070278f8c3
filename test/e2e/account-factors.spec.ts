import { beforeEach, describe, expect, it } from '@jest/globals';
import { FactorResetsService, PasswordsService, SecondFactorsService, tokenOfLink, type User } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { mailsTo, nextMail } from '../support/accounts/account-mails.js';
import { works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, PASSWORD } from '../support/accounts/scenario.js';
import { codeOf, codesOn, enrolApp, forgetUsedSteps, secretOn } from '../support/accounts/second-factors.js';
import { optionsOn, SoftwarePasskey } from '../support/accounts/software-passkey.js';
import { admin } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { type Fields, TestBrowser, tickedOn } from '../support/browser/browser.js';

const app = useTestApp({ worker: 'inline' });
let user: User;
let browser: TestBrowser;
beforeEach(async () => {
  await sql('DELETE FROM login_failures');
  user = await aUser(app);
  browser = new TestBrowser(app.url);
});

const sql = async (text: string, values: unknown[] = []) =>
  (await app.app.get(Database).query(text, values)).rows as Record<string, unknown>[];

/** Opens a page below `/account`; signs in where the service asks, also with a code of the app. */
const open = async (path: string, { own = browser, secret }: { own?: TestBrowser; secret?: Buffer } = {}): Promise<string> => {
  let step = await own.follow(path);
  let html = await step.response.text();
  if (html.includes('type="password"') && step.url.pathname.startsWith('/v4/interaction')) {
    step = await own.submit(html, '/login', { email: user.email, password: PASSWORD });
    html = await step.response.text();
  }
  if (secret && html.includes('one-time-code') && step.url.pathname.startsWith('/v4/interaction')) {
    await forgetUsedSteps(app);
    step = await own.submit(html, '/code', { code: codeOf(app, secret) });
    html = await step.response.text();
  }
  return html;
};

const post = async (html: string, action: string, fields: Fields = {}, own = browser) => {
  const { response, url } = await own.submit(html, action, fields);
  return { status: response.status, url, html: await response.text() };
};

/** Lets the confirmation of a session be long ago. */
const forgetConfirmations = async () =>
  await sql(
    `UPDATE oidc_records SET payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch FROM now())::int - 301)) WHERE model = 'Session'`,
  );

const actionsOn = async () => {
  const rows = await sql('SELECT action FROM audit_records WHERE subject = $1 ORDER BY id', [`user:${user.id}`]);
  return rows.map(({ action }) => String(action));
};

const addApp = async () => {
  const page = await open('/account/authenticator');
  const secret = secretOn(page);
  const codes = await post(page, '/account/authenticator', { code: codeOf(app, secret) });
  return { secret, codes: codesOn(codes.html) };
};

describe('the account page', () => {
  it('adds and removes an authenticator app, with mails and audit records', async () => {
    expect(await open('/account')).toContain('No authenticator app is set up.');
    const page = await open('/account/authenticator');
    const wrong = await post(page, '/account/authenticator', { code: '000000' });
    expect([wrong.status, wrong.html.includes('The code is not correct')]).toEqual([401, true]);
    expect(secretOn(wrong.html)).toEqual(secretOn(page));
    const secret = secretOn(page);
    const codes = await post(wrong.html, '/account/authenticator', { code: codeOf(app, secret) });
    expect(codesOn(codes.html)).toHaveLength(10);
    expect((await nextMail(app, user.email, 1)).text).toContain('An authenticator app was added');
    expect((await nextMail(app, user.email, 2)).text).toContain('New recovery codes were created');
    expect(await open('/account')).toContain('10 of 10 codes are left.');

    const removal = await open('/account/authenticator/remove', { secret });
    const removed = await post(removal, '/account/authenticator/remove');
    expect([removed.url.search, removed.html.includes('The authenticator app was removed.')]).toEqual(['?done=appRemoved', true]);
    expect((await nextMail(app, user.email, 3)).text).toContain('The authenticator app was removed');
    expect(await app.app.get(SecondFactorsService).describe(user.id)).toEqual({
      authenticatorApp: null,
      passkeys: [],
      recoveryCodes: null,
    });
    expect(await actionsOn()).toEqual(['user.add_authenticator', 'user.create_recovery_codes', 'user.remove_authenticator']);
  });

  it('adds, renames and removes passkeys', async () => {
    const { origin } = new URL(app.url);
    const passkey = new SoftwarePasskey();
    const page = await open('/account/passkeys/new');
    const added = await post(page, '/account/passkeys/new', {
      response: passkey.create(optionsOn(page), { origin }),
      name: ' Blue <key> ',
    });
    expect(codesOn(added.html)).toHaveLength(10);
    expect((await nextMail(app, user.email, 1)).text).toContain('The passkey “Blue <key>” was added');
    const account = await open('/account');
    expect(account).toContain('Blue &lt;key&gt;');

    const signIn = await (await browser.follow(/href="(\/account\/passkeys\/\d+\/rename)"/.exec(account)?.[1] ?? '')).response.text();
    const login = await post(signIn, '/login', { email: user.email, password: PASSWORD }); // a second factor is asked for from now on
    const form = await post(login.html, '/passkey', { response: passkey.sign(optionsOn(login.html), { origin }) });
    const refused = await post(form.html, '/rename', { name: ' ' });
    expect([refused.status, refused.html.includes('1 to 60 characters')]).toEqual([400, true]);
    const renamed = await post(refused.html, '/rename', { name: 'Red key' });
    expect(renamed.html).toContain('Red key');
    const removal = await open(/href="(\/account\/passkeys\/\d+\/remove)"/.exec(renamed.html)?.[1] ?? '');
    expect((await post(removal, '/remove')).html).toContain('You have no passkey.');
    const { url, response } = await browser.follow('/account/passkeys/999999/remove');
    expect([url.pathname, response.status]).toEqual(['/account/passkeys/999999/remove', 404]);
    expect(await actionsOn()).toEqual(['user.add_passkey', 'user.create_recovery_codes', 'user.rename_passkey', 'user.remove_passkey']);
  });

  it('asks for a confirmation with the second factor before each change', async () => {
    const { secret } = await addApp();
    const asked = await browser.follow('/account/recovery-codes'); // the session knows only the password
    expect(await asked.response.text()).toContain('type="password"');
    const form = await open('/account/recovery-codes', { secret });
    await forgetConfirmations();
    const late = await post(form, '/account/recovery-codes');
    expect(late.html).toContain('type="password"');
    const again = await open('/account/recovery-codes', { secret });
    expect(codesOn((await post(again, '/account/recovery-codes')).html)).toHaveLength(10);
  });

  it('keeps older sessions, or ends them if the person wants that', async () => {
    const other = new TestBrowser(app.url);
    await open('/account', { own: other });
    const { secret } = await addApp();
    expect((await other.follow('/account')).url.pathname).toBe('/account');
    const removal = await open('/account/authenticator/remove', { secret });
    expect(removal).toContain('name="endOthers" type="checkbox" value="yes" checked');
    await post(removal, '/account/authenticator/remove', { endOthers: 'yes' });
    expect((await other.follow('/account')).url.pathname).toMatch(/^\/v4\/interaction\//);
    expect((await browser.follow('/account')).url.pathname).toBe('/account');
  });

  it('does not remove the last second factor of a person who needs one', async () => {
    const { secret } = await addApp();
    await sql('UPDATE customers SET require_second_factor = true WHERE id = $1', [user.customerId]);
    const removal = await open('/account/authenticator/remove', { secret });
    const refused = await post(removal, '/account/authenticator/remove');
    expect([refused.status, refused.html.includes('Add another one before you remove the last')]).toEqual([409, true]);
    expect(await app.app.get(SecondFactorsService).has(user.id)).toBe(true);
  });

  it('shows which recovery codes are used, and replaces the set', async () => {
    const { secret, codes } = await addApp();
    const own = new TestBrowser(app.url);
    const login = await (await own.follow('/account')).response.text();
    const page = await post(login, '/login', { email: user.email, password: PASSWORD }, own);
    const account = await post(page.html, '/code', { code: codes[2] ?? '' }, own);
    expect(account.html).toContain('9 of 10 codes are left.');
    expect(account.html).toContain('Code 3 used');
    expect((await nextMail(app, user.email, 3)).text).toContain('A recovery code was used');
    const form = await open('/account/recovery-codes', { secret });
    const fresh = codesOn((await post(form, '/account/recovery-codes')).html);
    expect(fresh.filter((code) => codes.includes(code))).toEqual([]);
    const [old] = codes;
    const again = new TestBrowser(app.url);
    const second = await post(
      await (await again.follow('/account')).response.text(),
      '/login',
      { email: user.email, password: PASSWORD },
      again,
    );
    expect((await post(second.html, '/code', { code: old ?? '' }, again)).status).toBe(401);
  });

  it('creates no recovery codes for a person without another factor', async () => {
    const { secret } = await addApp();
    const form = await open('/account/recovery-codes', { secret });
    await app.app.get(SecondFactorsService).reset(user, { ip: null, userAgent: null });
    expect((await post(form, '/account/recovery-codes')).url.pathname).toBe('/account');
    expect((await browser.follow('/account/recovery-codes')).url.pathname).toBe('/account');
    expect((await app.app.get(SecondFactorsService).describe(user.id)).recoveryCodes).toBeNull();
  });

  it('speaks German', async () => {
    const german = new TestBrowser(app.url, { 'accept-language': 'de-DE,de;q=0.9' });
    const page = await open('/account/authenticator', { own: german });
    expect(page).toContain('<html lang="de">');
    expect((await post(page, '/account/authenticator', { code: '000000' }, german)).html).toContain('Der Code ist nicht richtig');
    await post(page, '/account/authenticator', { code: codeOf(app, secretOn(page)) }, german);
    expect((await nextMail(app, user.email, 1)).text).toContain('Eine Authenticator-App wurde');
  });
});

describe('a right password with a wrong second factor', () => {
  it('is mailed to the person, once an hour', async () => {
    await addApp();
    const stranger = new TestBrowser(app.url);
    const login = await (await stranger.follow('/account')).response.text();
    const page = await post(login, '/login', { email: user.email, password: PASSWORD }, stranger);
    for (let tries = 0; tries < 3; tries += 1) await post(page.html, '/code', { code: '000000' }, stranger);
    expect((await nextMail(app, user.email, 3)).text).toContain('a wrong second factor');
    await sql(`UPDATE login_failures SET wait_until = 'epoch' WHERE key LIKE 'factor-alert:%'`);
    await post(page.html, '/code', { code: '000000' }, stranger);
    await nextMail(app, user.email, 4);
    expect((await mailsTo(app, user.email)).filter(({ text }) => text.includes('a wrong second factor'))).toHaveLength(2);
  });
});

describe('the denial of a change', () => {
  const NO_OCCASION = { ip: null, userAgent: null };
  /** Opens the link and posts the form with the boxes that are ticked, except those that `unticked` matches. */
  const deny = async (link: string, { password = '', unticked }: { password?: string; unticked?: RegExp } = {}) => {
    const own = new TestBrowser(app.url);
    const page = await (await own.follow('/account/link')).response.text();
    const form = await post(page, '/account/link', { link }, own);
    const ticked = tickedOn(form.html, 'remove');
    const remove = ticked.filter((value) => !unticked?.test(value));
    return { own, form, ticked, done: await post(form.html, '/not-me', { remove, password }, own) };
  };
  const kindsOf = async () => {
    const { authenticatorApp, passkeys, recoveryCodes } = await app.app.get(SecondFactorsService).describe(user.id);
    return [authenticatorApp && 'totp', ...passkeys.map(({ name }) => name), recoveryCodes && 'codes'].filter(Boolean);
  };
  const addPasskey = async (name: string, secret?: Buffer) => {
    const page = await open('/account/passkeys/new', { secret });
    await post(page, '/passkeys/new', { response: new SoftwarePasskey().create(optionsOn(page), { origin: app.url }), name });
  };
  const rename = async () => await app.app.get(PasswordsService).changeName(user, { firstname: 'Eve', lastname: '' }, NO_OCCASION);

  it('removes the only second factor with the password, and the recovery codes with it', async () => {
    await addApp();
    const added = await nextMail(app, user.email, 1);
    const { form, done } = await deny(added.link);
    expect(form.html).toMatch(/<bdi>Authenticator app<\/bdi> <span class="note">added [^<]* · the e-mail is about this one</);
    expect([done.status, done.html]).toEqual([400, expect.stringContaining('Enter your password to remove your last second factor')]);
    const wrong = await deny(added.link, { password: 'not the password' });
    expect([wrong.done.status, wrong.done.html]).toEqual([400, expect.stringContaining('The password is not correct.')]);
    expect(await kindsOf()).toEqual(['totp', 'codes']);
    expect((await deny(added.link, { password: PASSWORD })).done.url.pathname).toBe('/account/link/reset');
    expect(await kindsOf()).toEqual([]);
    expect(await app.app.get(SecondFactorsService).nextStep(user)).toBe('none');
    expect((await actionsOn()).filter((action) => action === 'user.deny_change')).toHaveLength(1);
  });

  it('undoes the rest without the password, and a password that was chosen by mail does not remove the factor afterwards', async () => {
    await rename();
    await addApp();
    const [renamed, added] = [await nextMail(app, user.email, 1), await nextMail(app, user.email, 2)];
    const { own, done } = await deny(added.link, { unticked: /^factor/ });
    expect(done.url.pathname).toBe('/account/link/reset');
    const password = 'seventeen purple kayaks on a glacier';
    await post(done.html, '/account/link/reset', { password }, own);
    expect(await kindsOf()).toEqual(['totp', 'codes']);
    const again = await deny(renamed.link, { password });
    expect(again.form.html).not.toContain('name="password"');
    expect([again.done.status, again.done.html]).toEqual([400, expect.stringContaining('ask your administrator afterwards')]);
    expect(await kindsOf()).toEqual(['totp', 'codes']);
  });

  it('lists what was added before the change of the newest notice, and removes what stays ticked', async () => {
    const { secret } = await addApp();
    await sql(`UPDATE second_factors SET bound_at = bound_at - interval '30 days' WHERE user_id = $1 AND kind = 'totp'`, [user.id]);
    await addPasskey('The phone of a stranger', secret);
    await sql(`UPDATE second_factors SET bound_at = bound_at - interval '3 days' WHERE user_id = $1 AND kind = 'passkey'`, [user.id]);
    await rename();
    const renamed = await nextMail(app, user.email, 4);
    expect(renamed.text).toContain('Your name was changed.');
    const { form, ticked } = await deny(renamed.link);
    expect(ticked).toEqual([expect.stringMatching(/^factor:/), expect.stringMatching(/^factor:/), expect.stringMatching(/^session:/)]);
    expect(form.html).toContain('Passkey “The phone of a stranger”');
    expect(form.html).not.toContain('Authenticator app');
    expect(await kindsOf()).toEqual(['totp']); // its recovery codes were created this week, too
  });

  it('keeps what the person unticks, but nothing that was added while they read the page', async () => {
    const { secret } = await addApp();
    await sql(`UPDATE second_factors SET bound_at = bound_at - interval '30 days' WHERE user_id = $1`, [user.id]);
    const [mine, unknown] = [await aClient(app), await aClient(app)];
    const signedIn = async (client: typeof mine) => {
      await forgetUsedSteps(app);
      return (await obtainTokens(app, { user, client, browser })).access_token;
    };
    const [kept, ended] = [await signedIn(mine), await signedIn(unknown)];
    await addPasskey('My phone', secret);
    const added = await nextMail(app, user.email, 3);
    const own = new TestBrowser(app.url);
    const page = await (await own.follow('/account/link')).response.text();
    const form = await post(page, '/account/link', { link: added.link }, own);
    const box = (label: string) => new RegExp(`value="([^"]+)"[^>]*>\\s*<label[^>]*><bdi>${label}`).exec(form.html)?.[1] ?? '';
    const unticked = [
      box('Passkey “My phone”'),
      box(mine.name),
      ...[...form.html.matchAll(/value="(session:[^"]+)"/g)].map(([, id]) => id),
    ];
    await addPasskey('Added meanwhile', secret);
    const remove = tickedOn(form.html, 'remove').filter((value) => !unticked.includes(value));
    expect((await post(form.html, '/not-me', { remove }, own)).url.pathname).toBe('/account/link/reset');
    expect(await kindsOf()).toEqual(['totp', 'My phone', 'codes']);
    expect([await works(app, kept), await works(app, ended)]).toEqual([true, false]);
    expect((await browser.open('/account')).status).toBe(200);
  });

  it('needs no password of a person who has none, and cannot get one by mail', async () => {
    await addApp();
    const added = await nextMail(app, user.email, 1);
    await sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    expect((await deny(added.link)).done.html).toContain('All sessions have ended');
    expect(await kindsOf()).toEqual([]);
  });
});

describe('a lost second factor', () => {
  const openLink = async (link: string, own: TestBrowser) => {
    const page = await (await own.follow('/account/link')).response.text();
    return await post(page, '/account/link', { link }, own);
  };

  it('is removed by the person with a mailed link and the password, and set up anew at the next sign-in', async () => {
    const client = await aClient(app);
    const query = { client_id: client.clientId };
    const { access_token: token } = await obtainTokens(app, { user, client });
    await enrolApp(app, browser, { user, query });
    await sql('UPDATE users SET require_second_factor = false WHERE id = $1', [user.id]);
    await nextMail(app, user.email, 2);
    await admin(app, ['users', 'reset-second-factor', user.email, '--reason', 'lost phone']);
    const { link } = await nextMail(app, user.email, 3);
    expect(await app.app.get(SecondFactorsService).has(user.id)).toBe(true);

    const own = new TestBrowser(app.url);
    const form = await openLink(link, own);
    expect(form.url.pathname).toBe('/account/link/factor-reset');
    const wrong = await post(form.html, '/factor-reset', { password: 'not the password' }, own);
    expect([wrong.status, await app.app.get(SecondFactorsService).has(user.id)]).toEqual([400, true]);
    const done = await post(wrong.html, '/factor-reset', { password: PASSWORD }, own);
    expect(done.html).toContain('Second factors removed');
    expect((await openLink(link, own)).status).toBe(410);
    expect((await browser.follow('/account')).url.pathname).toMatch(/^\/v4\/interaction\//);
    expect(await works(app, token)).toBe(true); // tokens of applications stay
    expect((await nextMail(app, user.email, 4)).text).toContain('The second factors of your account were removed');
    expect(await open('/account', { own })).toContain('Set up a second factor');
    expect(await actionsOn()).toEqual(expect.arrayContaining(['user.allow_factor_reset', 'user.reset_second_factor']));
    const { secondFactors } = await admin<{ secondFactors: { kind: string; wasReset: boolean }[] }>(app, ['users', 'show', user.email]);
    expect(secondFactors).toMatchObject([
      { kind: 'recovery_codes', wasReset: true },
      { kind: 'totp', wasReset: true },
    ]);
  });

  it('is not helped by a link for a person who does not sign in with a password, and a new link replaces the earlier one', async () => {
    const resets = app.app.get(FactorResetsService);
    await expect(resets.allow({ ...user, passwordHash: null })).rejects.toMatchObject({ code: 'factor_reset_impossible' });
    await resets.allow(user);
    const first = await nextMail(app, user.email, 1);
    await resets.allow(user);
    const second = await nextMail(app, user.email, 2);
    expect((await openLink(first.link, browser)).status).toBe(410);
    expect(tokenOfLink(second.link)).not.toBeNull();
    const uses = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, at) => {
        const attempt = { password: PASSWORD, clientNetwork: '192.0.2.1', knownBrowser: () => `browser ${at}` };
        await resets.redeem(tokenOfLink(second.link) ?? '', { ...attempt, occasion: { ip: null, userAgent: null } });
      }),
    );
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
