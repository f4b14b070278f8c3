import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import type { Config } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { SecretBoxService, SecretReencryptionService } from '../../src/shared/secrets/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { adminProgram } from '../support/app/admin.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';

const OLD = 'the old secret of this installation';
const NEW = 'the new secret of this installation';
const COLUMN = 'access_keys.sealed_secret';
/** More than one page. */
const MANY = 1_203;
/** The service's own keys are not stored here, so that every process starts. */
const keys = { cookieKeys: ['a key for cookies'], signingKeys: '' };

let database: TestDatabase;
let processes: TestContext[];
beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  keys.signingKeys = JSON.stringify({ keys: [{ ...(await exportJWK(privateKey)), kid: 'one' }] });
});
beforeEach(async () => {
  database = await createTestDatabase();
  processes = [];
});
afterEach(async () => {
  await Promise.all(processes.map(async (process) => await process.close()));
  await database.drop();
});

async function start(overrides: Partial<Config>) {
  const process = await startTestContext({ database, ...keys, ...overrides });
  processes.push(process);
  return { process, db: process.get(Database), box: process.get(SecretBoxService), reencryption: process.get(SecretReencryptionService) };
}

/** Access keys under the old secret, and a process that knows both. */
async function aRotation(count = MANY) {
  const old = await start({ appSecret: OLD });
  const { id } = await aUser({ app: old.process.context } as never);
  const sealed = Array.from({ length: count }, (_, index) => old.box.seal('access key', `secret ${index}`));
  const sql = `INSERT INTO access_keys (access_key, sealed_secret, user_id) SELECT 'key-' || n, sealed, $2 FROM unnest($1::text[]) WITH ORDINALITY AS t (sealed, n)`;
  await old.db.query(sql, [sealed, id]);
  const fresh = await start({ appSecret: NEW, appSecretPrevious: [OLD] });
  const readable = async (appSecret: string) => {
    const { process } = await start({ appSecret });
    const keys = Array.from({ length: count }, (_, index) => `key-${index + 1}`);
    const found = await Promise.all(keys.map(async (key) => await process.get(AccessKeysService).find(key)));
    return found.filter((key) => key?.accessSecret != null).map((key) => key?.accessSecret);
  };
  return { ...fresh, old, readable, userId: id };
}

describe('a re-encryption', () => {
  it('encrypts every record under the current secret, page by page, and skips current ones', async () => {
    const { reencryption, readable } = await aRotation();
    const { columns } = await reencryption.run();
    expect(columns[COLUMN]).toEqual({ records: MANY, reencrypted: MANY, unreadable: 0 });
    expect(await readable(NEW)).toEqual(Array.from({ length: MANY }, (_, index) => `secret ${index}`));
    expect(await readable(OLD)).toEqual([]);
    expect((await reencryption.run()).reencrypted).toBe(0);
  });

  it('is continued by the next one when it was interrupted', async () => {
    const { reencryption, process, readable } = await aRotation();
    const seal = jest.spyOn(process.get(SecretBoxService), 'seal');
    seal.mockImplementationOnce(() => {
      throw new Error('the machine was switched off');
    });
    await expect(reencryption.run()).rejects.toThrow('switched off');
    seal.mockRestore();
    await reencryption.run();
    expect(await readable(NEW)).toHaveLength(MANY);
  });

  it('never overwrites concurrent changes, regardless of their secret', async () => {
    const { reencryption, process, old, userId } = await aRotation(2);
    const { accessKeys, oldKeys } = { accessKeys: process.get(AccessKeysService), oldKeys: old.process.get(AccessKeysService) };
    const box = process.get(SecretBoxService);
    const seal = box.seal.bind(box);
    const begun: Promise<unknown>[] = [];
    const spy = jest.spyOn(box, 'seal').mockImplementation((purpose, plain) => {
      const sealed = seal(purpose, plain);
      spy.mockRestore(); // once, between reading and writing
      begun.push(accessKeys.declare({ accessKey: 'key-1', accessSecret: 'declared meanwhile', userId }));
      begun.push(oldKeys.declare({ accessKey: 'key-2', accessSecret: 'by an old process', userId }));
      return sealed;
    });
    const update = process.get(Database).query.bind(process.get(Database));
    jest.spyOn(process.get(Database), 'query').mockImplementation(async (text: string, values?: readonly unknown[]) => {
      if (text.startsWith('UPDATE access_keys')) await Promise.all(begun);
      return (await update(text, values)) as never;
    });
    await reencryption.run();
    await Promise.all(begun);
    const { process: last } = await start({ appSecret: NEW });
    expect(await last.get(AccessKeysService).find('key-1')).toMatchObject({ accessSecret: 'declared meanwhile' });
    expect(await last.get(AccessKeysService).find('key-2')).toMatchObject({ accessSecret: 'by an old process' });
  });

  it('lists records that no secret decrypts, and the command fails', async () => {
    const { process, db } = await aRotation(3);
    const other = await start({ appSecret: 'a third secret that was lost somewhere' });
    await db.query(`UPDATE access_keys SET sealed_secret = $1 WHERE access_key = 'key-2'`, [other.box.seal('access key', 'lost')]);
    const { printed, failures } = await adminProgram<{ columns: Record<string, unknown> }>(
      { app: process.context as never, config: process.config },
      ['keys', 'reencrypt'],
    );
    const { rows } = await db.query<{ id: number }>(`SELECT id FROM access_keys WHERE access_key = 'key-2'`);
    expect(printed).toMatchObject({ unreadable: 1, reencrypted: 2 });
    expect(printed.columns[COLUMN]).toEqual({ records: 3, reencrypted: 2, unreadable: 1, unreadableIds: [String(rows[0]?.id)] });
    expect(failures).toEqual([expect.stringMatching(/^Unreadable records: 1\. .*APP_SECRET_PREVIOUS/)]);
  });
});
