import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  AccountLinksService,
  AccountMailsService,
  AccountsService,
  CustomersService,
  EmailChangesService,
  type LinkPurpose,
  PasswordsService,
  tokenOfLink,
  UserAdministrationService,
  UserChangesService,
} from '../../src/modules/accounts/index.js';
import { callerOf } from '../../src/shared/auth/index.js';
import { Clock, FakeClock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { Mailer } from '../../src/shared/mail/index.js';
import { mailsTo, nextMail } from '../support/accounts/account-mails.js';
import { call, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, PASSWORD } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser, tickedOn } from '../support/browser/browser.js';
import { eventually } from '../support/eventually.js';

const app = useTestApp({ worker: 'inline' });

const waiting = async () => {
  const sql = `SELECT count(*)::int AS count FROM graphile_worker.jobs WHERE task_identifier = 'account-mail'`;
  return (await app.app.get(Database).queryOne<{ count: number }>(sql))?.count;
};

describe('links in mails', () => {
  let user: Awaited<ReturnType<typeof aUser>>;
  let links: AccountLinksService;
  let mails: AccountMailsService;
  beforeEach(async () => {
    user = await aUser(app);
    links = app.app.get(AccountLinksService, { strict: false });
    mails = app.app.get(AccountMailsService, { strict: false });
  });

  const newToken = async (purpose: LinkPurpose = 'reset') => tokenOfLink((await links.create(user.id, purpose)).url) ?? '';

  const later = async <T>(seconds: number, work: () => Promise<T>): Promise<T> => {
    const clock = app.app.get(Clock, { strict: false });
    const now = clock.now.bind(clock);
    const stopped = new FakeClock(new Date(now().getTime() + seconds * 1_000));
    clock.now = () => stopped.now();
    try {
      return await work();
    } finally {
      clock.now = now;
    }
  };

  it('are good once: of twenty concurrent uses one wins', async () => {
    const token = await newToken();
    const uses = await Promise.allSettled(Array.from({ length: 20 }, async () => await links.use(token, 'reset')));
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const use of uses) if (use.status === 'rejected') expect(use.reason).toMatchObject({ code: 'account_link_expired' });
    expect(await links.find(token)).toBeNull();
  });

  it('stay good if what they are for fails', async () => {
    const token = await newToken();
    const work = app.app.get(Database).transaction(async () => {
      await links.use(token, 'reset');
      throw new Error('refused');
    });
    await expect(work).rejects.toThrow('refused');
    expect(await links.use(token, 'reset')).toMatchObject({ userId: user.id });
  });

  it.each([
    ['reset', 30 * 60],
    ['invitation', 7 * 86_400],
    ['email', 30 * 60],
    ['not-me', 7 * 86_400],
    ['factor-reset', 86_400],
  ] as const)('for %s are good for %i seconds, and for nothing else', async (purpose, seconds) => {
    const token = await newToken(purpose);
    expect(await later(seconds - 1, async () => await links.find(token, purpose))).toMatchObject({ userId: user.id, purpose });
    expect(await later(seconds, async () => await links.find(token, purpose))).toBeNull();
    await expect(links.use(token, purpose === 'reset' ? 'invitation' : 'reset')).rejects.toMatchObject({ code: 'account_link_expired' });
    expect(await links.find('x'.repeat(43))).toBeNull();
    await links.withdraw(user.id, [purpose]);
    expect(await links.find(token)).toBeNull();
  });

  it('arrive with the token as the fragment of an address, which no table contains', async () => {
    await mails.send({ kind: 'invitation', userId: user.id });
    const { subject, text, link } = await nextMail(app, user.email);
    expect([subject, text]).toEqual([expect.stringContaining('Your account at'), expect.stringContaining('Hello Ada,')]);
    expect(link).toMatch(new RegExp(`^${app.url}/account/link#[\\w-]{43}$`));
    const { rows } = await app.app.get(Database).query<{ row: string }>('SELECT account_links::text AS row FROM account_links');
    expect(rows.filter(({ row }) => row.includes(tokenOfLink(link) ?? ''))).toEqual([]);
    expect(await links.find(tokenOfLink(link) ?? '', 'invitation')).toMatchObject({ userId: user.id });
  });

  it('are mailed in the language of the user, or the one that is given', async () => {
    await app.app.get(Database).query(`UPDATE users SET language = 'de' WHERE id = $1`, [user.id]);
    await mails.send({ kind: 'password-changed', userId: user.id, occasion: { ip: '192.0.2.7', userAgent: 'curl/8.0' } });
    const { subject, text } = await nextMail(app, user.email);
    expect(subject).toMatch(/^Ihr Konto bei .* wurde geändert$/);
    expect(text).toContain('Wo: curl, 192.0.2.7');
    await mails.send({ kind: 'password-reset', userId: user.id, language: 'en' });
    expect((await nextMail(app, user.email, 2)).text).toContain('good once, for 30 minutes');
  });

  it('for new passwords are mailed three times an hour to one person, and never to disabled or unknown ones', async () => {
    const other = await aUser(app);
    await app.app.get(AccountsService).disable(other.email, new Date());
    for (const userId of [user.id, user.id, user.id, user.id, other.id, null]) await mails.send({ kind: 'password-reset', userId });
    await mails.send({ kind: 'password-changed', userId: user.id });
    await nextMail(app, user.email, 4);
    await eventually(async () => (await waiting()) === 0);
    expect((await mailsTo(app, user.email)).filter(({ subject }) => subject.startsWith('Choose a new password'))).toHaveLength(3);
    expect(await mailsTo(app, other.email)).toEqual([]);
  });
});

describe('the pages of links', () => {
  const NEW = 'seventeen purple kayaks on a glacier';
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  let links: AccountLinksService;
  beforeEach(async () => {
    user = await aUser(app);
    browser = new TestBrowser(app.url);
    links = app.app.get(AccountLinksService, { strict: false });
  });

  /** Opens a link as a browser without JavaScript does: the person pastes it. */
  async function openLink(link: string, own = browser) {
    const page = await (await own.follow('/account/link')).response.text();
    const { response, url } = await own.submit(page, '/account/link', { link });
    return { html: await response.text(), status: response.status, path: url.pathname };
  }

  const accountPageAfter = async (password: string, own = new TestBrowser(app.url)) => {
    const page = await (await own.follow('/account')).response.text();
    return await own.submit(page, '/login', { email: user.email, password });
  };
  const mayUse = async (own: TestBrowser) =>
    (await call(`${app.url}/v4/apps`, { headers: { cookie: own.cookieHeader('/v4/apps') } })).status === 200;
  const audited = async () =>
    (
      await app.app
        .get(Database)
        .query<{ action: string }>('SELECT action FROM audit_records WHERE subject = $1 ORDER BY id', [`user:${user.id}`])
    ).rows.map(({ action }) => action);

  async function requestReset(email: string) {
    const page = await (await browser.follow('/account/forgot')).response.text();
    const { response } = await browser.submit(page, '/account/forgot', { email });
    return { status: response.status, html: await response.text() };
  }

  it('lets a person who forgot the password choose a new one, in any browser, and signs all others out', async () => {
    const signedIn = new TestBrowser(app.url);
    await accountPageAfter(PASSWORD, signedIn);
    const answers = [await requestReset('unknown@example.org'), await requestReset(` ${user.email.toUpperCase()}`)];
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 200, html: expect.stringContaining('Look into your mailbox') });
    const { link } = await nextMail(app, user.email);
    await fetch(link, { method: 'HEAD' });
    await fetch(link);
    const other = new TestBrowser(app.url);
    const { html, path } = await openLink(link, other);
    const address = /<input [^>]*autocomplete="username"[^>]* value="([^"]*)"/.exec(html)?.[1]; // so that a password manager knows whose password it is
    expect([path, address]).toEqual(['/account/link/reset', user.email]);
    expect(html).not.toContain(tokenOfLink(link));
    const weak = await other.submit(html, '/account/link/reset', { password: 'passwordpassword' });
    expect([weak.response.status, await weak.response.text()]).toEqual([400, expect.stringContaining('too easy to guess')]);
    expect(await mayUse(signedIn)).toBe(true);
    const { response } = await other.submit(html, '/account/link/reset', { password: NEW });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Your new password is set.')]);
    expect([await mayUse(signedIn), await mayUse(other)]).toEqual([false, false]);
    expect([(await accountPageAfter(PASSWORD)).response.status, (await accountPageAfter(NEW)).url.pathname]).toEqual([401, '/account']);
    expect(await audited()).toEqual(['user.reset_password']);
    expect((await nextMail(app, user.email, 2)).text).toContain('Your password was changed.');
    expect(await openLink(link)).toMatchObject({ status: 410, html: expect.stringContaining('This link was used already') });
  });

  it('ends sign-ins in progress with a new password, although theirs was right', async () => {
    const stranger = new TestBrowser(app.url);
    const signIn = await (await stranger.follow('/account')).response.text();
    const continuation = await stranger.submitOnly(signIn, '/login', { email: user.email, password: PASSWORD });
    expect(continuation.status).toBe(303);
    const { html } = await openLink((await links.create(user.id, 'reset')).url);
    await browser.submit(html, '/account/link/reset', { password: NEW });
    await stranger.follow(continuation.headers.get('location') ?? '');
    expect(await mayUse(stranger)).toBe(false);
  });

  it('sets one of twenty passwords that are sent with one link', async () => {
    const { html } = await openLink((await links.create(user.id, 'reset')).url);
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, index) => (await browser.submit(html, '/account/link/reset', { password: `${NEW} ${index}` })).response.status,
      ),
    );
    expect(answers.sort()).toEqual([200, ...Array.from({ length: 19 }, () => 410)]);
    expect(await audited()).toEqual(['user.reset_password']);
  });

  it('keeps the token out of addresses, logs and Referer headers', async () => {
    const lines: string[] = [];
    const token = tokenOfLink((await links.create(user.id, 'reset')).url) ?? '';
    const page = await browser.open('/account/link');
    const html = await page.text();
    const exchange = await browser.open('/account/link', {
      method: 'POST',
      body: new URLSearchParams({ link: token }),
      headers: { origin: app.url },
    });
    lines.push(html, page.url, String(exchange.headers.get('location')), await exchange.text());
    lines.push(await (await fetch(`${app.url}/metrics`)).text());
    expect(lines.join('\n')).not.toContain(token);
    expect(exchange.headers.getSetCookie().join()).toMatch(
      /^account_link=[\w-]{43}; Max-Age=1800; Path=\/account; HttpOnly; SameSite=Lax$/,
    );
  });

  it('lets an invited person enter name and password', async () => {
    await app.app.get(Database).query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    await requestReset(user.email); // no way round the invitation
    const { html } = await openLink((await links.create(user.id, 'invitation')).url);
    const { response } = await browser.submit(html, '/account/link/invitation', { firstname: 'Grace', lastname: 'Hopper', password: NEW });
    expect(await response.text()).toContain('Your account is set up.');
    expect(await app.app.get(AccountsService).findById(user.id)).toMatchObject({ firstname: 'Grace', lastname: 'Hopper' });
    expect([(await accountPageAfter(NEW)).url.pathname, await audited()]).toEqual(['/account', ['user.accept_invitation']]);
    expect(await mailsTo(app, user.email)).toEqual([]);
  });

  it('ends everything after a change by another person, and leads to a new password', async () => {
    const stranger = new TestBrowser(app.url);
    await accountPageAfter(PASSWORD, stranger);
    const client = await aClient(app);
    const tokens = await obtainTokens(app, { user, client });
    const { html, path } = await openLink((await links.create(user.id, 'not-me')).url);
    expect([path, await mayUse(stranger)]).toEqual(['/account/link/not-me', true]);
    const { url, response } = await browser.submit(html, '/account/link/not-me', { remove: tickedOn(html, 'remove') });
    expect(url.pathname).toBe('/account/link/reset');
    expect([await mayUse(stranger), await works(app, tokens.access_token)]).toEqual([false, false]);
    expect((await accountPageAfter(PASSWORD)).response.status).toBe(401);
    await browser.submit(await response.text(), '/account/link/reset', { password: NEW });
    expect((await accountPageAfter(NEW)).url.pathname).toBe('/account');
    expect(await audited()).toEqual(['user.deny_change', 'user.reset_password']);
  });

  it('mails a link for a new password after a denial, and of twenty denials one undoes the change', async () => {
    const { html } = await openLink((await links.create(user.id, 'not-me', { email: user.email })).url);
    const cookies = { cookie: browser.cookieHeader('/account'), origin: app.url, 'content-type': 'application/x-www-form-urlencoded' };
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const deny = async () =>
      (
        await fetch(`${app.url}/account/link/not-me`, {
          method: 'POST',
          headers: cookies,
          body: new URLSearchParams({ csrf }),
          redirect: 'manual',
        })
      ).status;
    const answers = await Promise.all(Array.from({ length: 20 }, deny));
    expect(answers.sort()).toEqual([303, ...Array.from({ length: 19 }, () => 410)]);
    expect(await audited()).toEqual(['user.deny_change']);
    const mail = await nextMail(app, user.email);
    expect(mail.subject).toMatch(/^Choose a new password/);
    expect(await openLink(mail.link)).toMatchObject({ path: '/account/link/reset' });
  });

  it('accepts one of twenty invitations that are sent with one link', async () => {
    await app.app.get(Database).query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    const { html } = await openLink((await links.create(user.id, 'invitation')).url);
    const accept = async (_: unknown, index: number) =>
      (await browser.submit(html, '/account/link/invitation', { firstname: `Ada ${index}`, lastname: '', password: `${NEW} ${index}` }))
        .response.status;
    const answers = await Promise.all(Array.from({ length: 20 }, accept));
    expect(answers.sort()).toEqual([200, ...Array.from({ length: 19 }, () => 410)]);
    expect(await audited()).toEqual(['user.accept_invitation']);
  });

  describe('for a new e-mail address', () => {
    const next = () => `new-${user.id}@example.org`;
    const emailOf = async () => (await app.app.get(AccountsService).findById(user.id))?.email;
    async function ask(email: string) {
      if (!(await mayUse(browser))) await accountPageAfter(PASSWORD, browser);
      const page = await (await browser.follow('/account/email')).response.text();
      const { response } = await browser.submit(page, '/account/email', { email });
      return { status: response.status, html: await response.text() };
    }
    async function change(own = browser) {
      await ask(next());
      const { html } = await openLink((await nextMail(app, next())).link, own);
      return await own.submit(html, '/account/link/email', { endOthers: 'yes' });
    }

    it('changes it once the link at the new address is opened, ends the other sessions, and informs the old address', async () => {
      const other = new TestBrowser(app.url);
      await accountPageAfter(PASSWORD, other);
      const { response } = await change();
      expect(await response.text()).toContain('E-mail address changed');
      expect([await emailOf(), await mayUse(browser), await mayUse(other)]).toEqual([next(), true, false]);
      const notice = await nextMail(app, user.email);
      expect(notice.text).toContain(`The e-mail address of your account was changed to ${next()}.`);
      expect([(await mailsTo(app, next())).length, await audited()]).toEqual([1, ['user.change_email']]);
    });

    it('restores the old one for a person who denies the change, also after further ones', async () => {
      const old = user.email;
      await change();
      const denial = await nextMail(app, old);
      await app.app
        .get(PasswordsService)
        .changeName({ ...user, email: next() }, { firstname: 'Eve', lastname: '' }, { ip: null, userAgent: null });
      const later = await nextMail(app, next(), 2);
      const owner = new TestBrowser(app.url);
      const { html } = await openLink(denial.link, owner);
      expect(html).toContain(`Your e-mail address becomes ${old} again.`);
      const { response, url } = await owner.submit(html, '/account/link/not-me', { remove: tickedOn(html, 'remove') });
      expect([url.pathname, await emailOf(), await mayUse(browser)]).toEqual(['/account/link/reset', old, false]);
      expect((await nextMail(app, old, 2)).subject).toMatch(/^Choose a new password/);
      await owner.submit(await response.text(), '/account/link/reset', { password: NEW });
      expect((await accountPageAfter(NEW)).url.pathname).toBe('/account');
      expect(await openLink(later.link)).toMatchObject({ status: 410 }); // the other person cannot undo this
      expect(await audited()).toEqual(['user.change_email', 'user.change_name', 'user.deny_change', 'user.reset_password']);
    });

    it('does not mail what was requested before a denial, when the mail server was out of order', async () => {
      const [old, third] = [user.email, `third-${user.id}@example.org`];
      await change();
      const denial = await nextMail(app, old);
      const [mailer, stranger] = [app.app.get(Mailer, { strict: false }), { ...user, email: next() }];
      const send = mailer.send.bind(mailer);
      const refused: string[] = [];
      mailer.send = async ({ to }) => {
        refused.push(to);
        return { accepted: false, statusCode: 451, reason: 'later' };
      };
      await app.app.get(PasswordsService).changeName(stranger, { firstname: 'Eve', lastname: '' }, { ip: null, userAgent: null });
      await app.app.get(EmailChangesService).request(stranger, third, 'en');
      await eventually(() => refused.includes(next()) && refused.includes(third));
      mailer.send = send;
      const owner = new TestBrowser(app.url);
      const { html } = await openLink(denial.link, owner);
      await owner.submit(html, '/account/link/not-me', { remove: tickedOn(html, 'remove') });
      await app.app.get(Database).query('UPDATE graphile_worker._private_jobs SET run_at = now()'); // instead of waiting
      await eventually(async () => (await waiting()) === 0);
      expect([(await mailsTo(app, next())).length, await mailsTo(app, third)]).toEqual([1, []]);
    });

    it('does not restore one that another user has meanwhile, and creates no link for a new password then', async () => {
      const old = user.email;
      await change();
      const denial = await nextMail(app, old);
      await app.app.get(Database).query('UPDATE users SET email = $2 WHERE id = $1', [(await aUser(app)).id, old]);
      const { html } = await openLink(denial.link);
      const { response } = await browser.submit(html, '/account/link/not-me', { remove: tickedOn(html, 'remove') });
      expect([await response.text(), await emailOf(), await mayUse(browser)]).toEqual([
        expect.stringContaining('All sessions have ended'),
        next(),
        false,
      ]);
      expect((await mailsTo(app, old)).length).toBe(1);
    });

    it('answers the same for an address of another user, who gets no mail', async () => {
      const other = await aUser(app);
      const [taken, free] = [await ask(other.email), await ask(next())];
      expect(taken.html.replaceAll(other.email, '')).toBe(free.html.replaceAll(next(), ''));
      await nextMail(app, next());
      await eventually(async () => (await waiting()) === 0);
      expect(await mailsTo(app, other.email)).toEqual([]);
      expect((await ask('no address')).status).toBe(400);
      expect((await ask(user.email)).status).toBe(400);
    });

    it('ends when the password changes, and is good once', async () => {
      await ask(next());
      const { link } = await nextMail(app, next());
      const changes = app.app.get(EmailChangesService);
      const terms = { occasion: { ip: null, userAgent: null }, endOthers: false, keep: null };
      const { passwordHash } = (await app.app.get(AccountsService).findById(user.id)) ?? {};
      const reset = tokenOfLink((await links.create(user.id, 'reset')).url) ?? '';
      await app.app.get(PasswordsService).reset(reset, { password: NEW, language: 'en', occasion: terms.occasion });
      await expect(changes.confirm(tokenOfLink(link) ?? '', terms)).rejects.toMatchObject({ code: 'account_link_expired' });
      await app.app.get(Database).query('UPDATE users SET password_hash = $2 WHERE id = $1', [user.id, passwordHash]);
      const token = tokenOfLink((await links.create(user.id, 'email', { email: next() })).url) ?? '';
      const uses = await Promise.allSettled(Array.from({ length: 20 }, async () => await changes.confirm(token, terms)));
      expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await emailOf()).toBe(next());
    });
  });

  describe('after an administrator has changed the address', () => {
    let administrator: Awaited<ReturnType<typeof aUser>>;
    beforeEach(async () => {
      const customer = (await app.app.get(CustomersService).nameOf(user.customerId)) ?? '';
      administrator = await aUser(app, { customer, adminLevel: 9 });
    });
    const next = (at = 1) => `assigned-${at}-${user.id}@example.org`;
    const assign = async (email: string) => {
      const administered = app.app.get(UserAdministrationService, { strict: false });
      await administered.update(callerOf(administrator, 'bearer'), { id: user.id, email });
    };
    const rename = async () => {
      const now = (await app.app.get(AccountsService).findById(user.id)) ?? user;
      await app.app.get(PasswordsService).changeName(now, { firstname: 'Ada', lastname: '' }, { ip: null, userAgent: null });
    };
    const stateOf = async () => {
      const { email, emailDisputedAt, passwordHash } = (await app.app.get(AccountsService).findById(user.id)) ?? user;
      return { email, isDisputed: emailDisputedAt !== null, keepsPassword: passwordHash === user.passwordHash };
    };
    const deny = async (link: string, own = new TestBrowser(app.url)) => {
      const { html } = await openLink(link, own);
      const { response, url } = await own.submit(html, '/account/link/not-me');
      return { page: html, answer: await response.text(), path: url.pathname };
    };

    it('the link at the earlier address asks the administrators, and changes nothing by itself', async () => {
      const signedIn = new TestBrowser(app.url);
      await accountPageAfter(PASSWORD, signedIn);
      await assign(next());
      const notice = await nextMail(app, user.email);
      expect(notice.text).toContain('it asks the administrators of');
      const { page, answer } = await deny(notice.link);
      expect(page).toContain('Ask the administrators of');
      expect(page).not.toContain('becomes');
      expect(answer).toContain('The administrators were asked');
      expect(await stateOf()).toEqual({ email: next(), isDisputed: true, keepsPassword: true });
      expect(await mayUse(signedIn)).toBe(true);
      const { subject, text } = await nextMail(app, administrator.email);
      expect([subject, text]).toEqual([expect.stringContaining('is disputed'), expect.stringContaining(`Lovelace, ${next()}`)]);
      expect(await audited()).toEqual(['user.update', 'user.dispute_email']);
      expect((await openLink(notice.link)).status).toBe(410);
    });

    it('so do the links of earlier changes, of the person and of administrators; a later one of the person restores', async () => {
      await rename();
      await assign(next());
      await assign(next(2));
      const [renamed, first, second] = [
        await nextMail(app, user.email, 1),
        await nextMail(app, user.email, 2),
        await nextMail(app, next(), 2),
      ];
      for (const { link } of [renamed, first, second]) expect((await deny(link)).answer).toContain('The administrators were asked');
      expect(await stateOf()).toEqual({ email: next(2), isDisputed: true, keepsPassword: true });
      await eventually(async () => (await waiting()) === 0);
      expect(await mailsTo(app, administrator.email)).toHaveLength(1); // once for each address
      await rename();
      expect((await deny((await nextMail(app, next(2), 2)).link)).path).toBe('/account/link/reset');
      expect(await stateOf()).toMatchObject({ email: next(2), keepsPassword: false });
    });

    it('a change by the person afterwards can be undone, back to the assigned address', async () => {
      await assign(next());
      const changes = app.app.get(EmailChangesService);
      const own = tokenOfLink((await links.create(user.id, 'email', { email: next(2) })).url) ?? '';
      await changes.confirm(own, { occasion: { ip: null, userAgent: null }, endOthers: false, keep: null });
      const notice = await nextMail(app, next(), 2);
      expect((await deny(notice.link)).page).toContain(`Your e-mail address becomes ${next()} again.`);
      expect(await stateOf()).toMatchObject({ email: next() });
      expect((await deny((await nextMail(app, user.email)).link)).answer).toContain('The administrators were asked');
      expect(await stateOf()).toMatchObject({ email: next(), isDisputed: true });
    });

    it('a further change by an administrator settles the dispute', async () => {
      await assign(next());
      await deny((await nextMail(app, user.email)).link);
      await assign(user.email);
      expect(await stateOf()).toMatchObject({ email: user.email, isDisputed: false });
    });

    it('and has ended all sessions, no link of before is good any more, of whatever kind, nor one that is still to be mailed', async () => {
      await assign(next());
      const notice = await nextMail(app, user.email);
      const tokens = await Promise.all(
        (['reset', 'email', 'invitation', 'factor-reset', 'not-me'] as const).map(async (purpose) => await links.create(user.id, purpose)),
      );
      const mailer = app.app.get(Mailer, { strict: false });
      const send = mailer.send.bind(mailer);
      const refused: string[] = [];
      mailer.send = async ({ to }) => {
        refused.push(to);
        return { accepted: false, statusCode: 451, reason: 'later' };
      };
      await rename();
      await eventually(() => refused.includes(next()));
      mailer.send = send;
      await app.app.get(UserAdministrationService, { strict: false }).endSessions(callerOf(administrator, 'bearer'), user.id);
      await app.app.get(Database).query('UPDATE graphile_worker._private_jobs SET run_at = now()'); // instead of waiting
      await eventually(async () => (await waiting()) === 0);
      expect(await mailsTo(app, next())).toHaveLength(1); // that the address was assigned
      for (const { url } of [...tokens, { url: notice.link }]) expect((await openLink(url)).status).toBe(410);
      await rename();
      expect((await deny((await nextMail(app, next(), 2)).link)).path).toBe('/account/link/reset'); // of a change afterwards
    });
  });

  it('has nothing for people who were disabled after the mail', async () => {
    const { url } = await links.create(user.id, 'reset');
    const terms = { record: async () => {} };
    const changes = app.app.get(UserChangesService, { strict: false });
    await changes.disable(user.id, terms);
    expect(await openLink(url)).toMatchObject({ status: 410 });
    await changes.enable(user.id, terms);
    expect(await openLink(url)).toMatchObject({ status: 410 }); // for good
  });
});
