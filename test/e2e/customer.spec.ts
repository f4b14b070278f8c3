import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { declareDemo } from '../../src/embedded/declare-demo.js';
import { AccountsService, CustomersService } from '../../src/modules/accounts/index.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { call, tokenOf } from '../support/media/uploads.js';

const app = useTestApp();

/** An administrator of a customer of their own. */
async function anAdmin(adminLevel = 9) {
  const user = await aUser(app, { adminLevel });
  const token = await tokenOf(app, user);
  const get = async () => (await call(`${app.url}/v5/customer`, { token })).body;
  const put = async (body: object) => await call(`${app.url}/v5/customer`, { method: 'PUT', token, body });
  return { user, token, get, put };
}

describe('the customer', () => {
  it('is the one of the caller', async () => {
    const [{ user, get }] = [await anAdmin(0), await anAdmin()];
    expect(await get()).toEqual({
      id: user.customerId,
      name: expect.any(String),
      burnTimecode: null,
      supportAccessUntil: null,
      requireSecondFactor: false,
    });
  });

  it('is changed by an administrator, field by field', async () => {
    const { get, put, user } = await anAdmin();
    const name = `Newsroom ${user.id}`;
    const burnTimecode = { fontcolor: 'yellow', fontsize: '24', box: 1, boxcolor: '#00000080', gravity: 'North', offset: 0 };
    const { status, body } = await put({ name, burnTimecode, supportAccessUntil: '2030-01-31T18:00:00Z', requireSecondFactor: true });
    const expected = { id: user.customerId, name, burnTimecode, supportAccessUntil: '2030-01-31T18:00:00.000Z', requireSecondFactor: true };
    expect([status, body]).toEqual([200, expected]);
    expect(await get()).toEqual(expected);
    await put({ burnTimecode: null });
    expect(await get()).toEqual({ ...expected, burnTimecode: null });
    const records = await app.app.get(AuditService).findLatest({ action: 'customer.update', subject: `customer:${user.customerId}` }, 9);
    expect(records.map(({ actor }) => actor)).toEqual([`user:${user.id}`, `user:${user.id}`]);
  });

  it('of the demo keeps its name at the next start', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'demo-'));
    const start = async () => await declareDemo(app.app, { ...app.config, dataDir });
    const { email } = await start();
    const user = await app.app.get(AccountsService).getByEmail(email);
    const token = await tokenOf(app, user);
    await call(`${app.url}/v5/customer`, { method: 'PUT', token, body: { name: 'Newsroom' } });
    await start();
    await rm(dataDir, { recursive: true });
    expect((await call(`${app.url}/v5/customer`, { token })).body).toMatchObject({ id: user.customerId, name: 'Newsroom' });
    expect(await app.app.get(AccountsService).findDeclaredCustomer('Demo')).toMatchObject({ id: user.customerId });
  });

  it('is not changed below adminLevel 9', async () => {
    const { get, put } = await anAdmin(8);
    const before = await get();
    expect(await put({ name: 'Mine' })).toMatchObject({
      status: 403,
      body: { code: 'admin_level_not_sufficient', requiredAdminLevel: 9 },
    });
    expect(await get()).toEqual(before);
  });

  it('reports all problems', async () => {
    const { put } = await anAdmin();
    const burnTimecode = { fontcolor: "red':x=1", fontsize: 'big', box: 2, boxborderw: 201, position: 'Up', offset: 3, font: 0 };
    const { status, body } = await put({ name: ' ', burnTimecode, supportAccessUntil: 'soon', requireSecondFactor: null });
    const paths = (body.errors as { path: string }[]).map(({ path }) => path);
    const nested = ['box', 'boxborderw', 'font', 'fontcolor', 'fontsize', 'offset', 'position'].map((key) => `burnTimecode.${key}`);
    expect([status, paths.sort()]).toEqual([400, [...nested, 'name', 'requireSecondFactor', 'supportAccessUntil']]);
  });

  it('keeps its name to itself', async () => {
    const [{ get }, { put }] = [await anAdmin(), await anAdmin()];
    expect(await put({ name: (await get()).name })).toMatchObject({ status: 409, body: { code: 'customer_name_taken' } });
  });

  it('of several that want one name at the same moment gets it once', async () => {
    const admins = [await anAdmin(), await anAdmin(), await anAdmin(), await anAdmin()];
    const answers = await Promise.all(admins.map(async ({ put }) => await put({ name: 'Wanted' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('does not become the operator, or another one', async () => {
    const { get, put, user } = await anAdmin();
    await put({ operator: true, id: 1 });
    expect(await get()).toMatchObject({ id: user.customerId });
  });

  it('cannot be opened for longer, or freed from second factors, by support staff acting for it', async () => {
    const { user } = await anAdmin();
    const { id: userId, customerId, email, adminLevel } = user;
    const caller = { userId, customerId, email, adminLevel, method: 'bearer', clientId: 'tests', scopes: new Set(['api']) } as const;
    const visiting = { ...caller, accessKey: null, authorizationId: null, token: null, supportUserId: 1 };
    const extend = app.app.get(CustomersService).update(visiting, { supportAccessUntil: new Date('2200-01-01') });
    await expect(extend).rejects.toMatchObject({ code: 'support_access_denied' });
    const rename = app.app.get(CustomersService).update(visiting, { name: 'Other' });
    await expect(rename).rejects.toMatchObject({ code: 'support_access_denied' });
    const relax = app.app.get(CustomersService).update(visiting, { requireSecondFactor: false });
    await expect(relax).rejects.toMatchObject({ code: 'support_access_denied' });
  });
});
