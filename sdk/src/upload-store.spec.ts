import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { defaultStore } from './upload-store.js';

describe('the stored progress on Node.js', () => {
  let temporary: string;
  let folder: string;

  beforeEach(() => {
    temporary = mkdtempSync(`${os.tmpdir()}/sdk-store-`);
    jest.spyOn(os, 'tmpdir').mockReturnValue(temporary);
    folder = `${temporary}/media-delivery-uploads-${process.getuid?.()}`;
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(temporary, { recursive: true });
  });

  it('is in a folder that only the user of the program can read', async () => {
    const store = defaultStore();
    expect(await store?.getItem('upload:7:0')).toBeNull();
    await store?.setItem('upload:7:0', 'half');
    expect([await store?.getItem('upload:7:0'), readdirSync(temporary), readdirSync(folder)]).toEqual([
      'half',
      [folder.slice(temporary.length + 1)],
      ['upload%3A7%3A0'],
    ]);
    await store?.removeItem('upload:7:0');
    expect([await store?.getItem('upload:7:0'), readdirSync(folder)]).toEqual([null, []]);
  });

  const planted = {
    'belongs to another user': () => {
      const own = process.getuid?.() ?? 0;
      jest.spyOn(process, 'getuid').mockReturnValue(own + 1);
      folder = `${temporary}/media-delivery-uploads-${own + 1}`;
      mkdirSync(folder, { mode: 0o700 });
    },
    'others can write to': () => {
      mkdirSync(folder);
      chmodSync(folder, 0o777);
    },
    'is a link': () => {
      mkdirSync(`${temporary}/elsewhere`, { mode: 0o700 });
      symlinkSync(`${temporary}/elsewhere`, folder);
    },
  };
  it.each(Object.entries(planted))('is neither read from, written to nor deleted in a folder that %s', async (_, plant) => {
    plant();
    writeFileSync(`${folder}/key`, 'planted');
    const store = defaultStore();
    expect(await store?.getItem('key')).toBeNull();
    await expect((async () => await store?.setItem('key', 'half'))()).rejects.toThrow('belongs to another user');
    await expect((async () => await store?.removeItem('key'))()).rejects.toThrow('belongs to another user');
    expect([readFileSync(`${folder}/key`, 'utf8'), existsSync(`${folder}/key.new`)]).toEqual(['planted', false]);
  });
});
