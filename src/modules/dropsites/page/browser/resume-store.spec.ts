import { expect, it } from '@jest/globals';
import { ResumeStore } from './resume-store.js';

class FakeStorage {
  readonly map = new Map<string, string>();
  isFull = false;
  get length() {
    return this.map.size;
  }
  key = (index: number) => [...this.map.keys()][index] ?? null;
  getItem = (key: string) => this.map.get(key) ?? null;
  setItem(key: string, value: string) {
    if (this.isFull) throw new Error('QuotaExceededError');
    this.map.set(key, value);
  }
  removeItem = (key: string) => void this.map.delete(key);
  clear = () => this.map.clear();
}

const file = { id: 'one', path: 'a/b.jpg', size: 5, lastModified: 7, type: 'image' as const };
const record = {
  startedAt: 1,
  sender: { email: 'grace@example.org', firstname: 'Grace', lastname: '' },
  batches: [{ uploadId: 'u', completed: false, files: [file] }],
};

it('remembers an upload and how far its files came, per dropsite', () => {
  const storage = new FakeStorage();
  const [store, other] = [new ResumeStore('link', storage), new ResumeStore('link-2', storage)];
  expect(store.load()).toBeNull();
  expect(store.save(record)).toBe(true);
  store.note('one', { multipartId: 'm' });
  expect(new ResumeStore('link', storage).load()).toMatchObject(record);
  expect(store.progressOf('one')).toEqual({ multipartId: 'm' });
  expect([other.load(), other.progressOf('one')]).toEqual([null, {}]);
});

it('clears all of one dropsite and nothing of another', () => {
  const storage = new FakeStorage();
  const [store, other] = [new ResumeStore('link', storage), new ResumeStore('link-2', storage)];
  for (const one of [store, other]) {
    one.save(record);
    one.note('one', { delivered: true });
  }
  store.clear();
  expect([store.load(), store.progressOf('one')]).toEqual([null, {}]);
  expect(other.load()).toMatchObject(record);
  expect(other.progressOf('one')).toEqual({ delivered: true });
});

it('returns false if there is no space or no storage', () => {
  const storage = new FakeStorage();
  storage.isFull = true;
  expect(new ResumeStore('link', storage).save(record)).toBe(false);
  expect(new ResumeStore('link', null).save(record)).toBe(false);
  expect(new ResumeStore('link', null).load()).toBeNull();
});

it('ignores unreadable data', () => {
  const storage = new FakeStorage();
  storage.setItem('upload:link', '{"version":99}');
  expect(new ResumeStore('link', storage).load()).toBeNull();
  storage.setItem('upload:link', 'half a rec');
  expect(new ResumeStore('link', storage).load()).toBeNull();
});
