import { expect, it } from '@jest/globals';
import { matchFiles } from './earlier-upload.js';

const remembered = (path: string, size = 5, lastModified = 1) => ({ path, size, lastModified });
const picked = (path: string, size = 5, lastModified = 1) => ({
  path,
  file: new File([new Uint8Array(size)], path.split('/').at(-1) ?? '', { lastModified }),
});

it('finds a file by name, size and date', () => {
  const missing = [remembered('a.jpg'), remembered('b.jpg')];
  const pick = picked('b.jpg');
  const { found, changed, others } = matchFiles({ missing, known: [] }, [pick]);
  expect([...found]).toEqual([[missing[1], pick.file]]);
  expect([changed, others]).toEqual([[], []]);
});

it('distinguishes files of one name by their folders, in any order', () => {
  const missing = [remembered('one/a.jpg'), remembered('two/a.jpg')];
  const picks = [picked('two/a.jpg'), picked('one/a.jpg')];
  const { found } = matchFiles({ missing, known: [] }, picks);
  expect(found.get(missing[0] as never)).toBe(picks[1]?.file);
  expect(found.get(missing[1] as never)).toBe(picks[0]?.file);
});

it('finds a file of a folder that is chosen alone', () => {
  const missing = [remembered('one/a.jpg')];
  expect(matchFiles({ missing, known: [] }, [picked('a.jpg')]).found.size).toBe(1);
});

it.each([
  ['size', picked('a.jpg', 6)],
  ['date', picked('a.jpg', 5, 2)],
])('detects a changed file by its %s', (_what, pick) => {
  const missing = [remembered('a.jpg')];
  const { found, changed } = matchFiles({ missing, known: [] }, [pick]);
  expect(found.size).toBe(0);
  expect(changed).toEqual([{ missing: missing[0], picked: pick }]);
});

it('ignores files that have arrived or were chosen before', () => {
  const { found, changed, others } = matchFiles({ missing: [remembered('b.jpg')], known: [remembered('a.jpg')] }, [picked('a.jpg')]);
  expect([found.size, changed, others]).toEqual([0, [], []]);
});

it('returns new files', () => {
  const pick = picked('c.jpg');
  expect(matchFiles({ missing: [remembered('b.jpg')], known: [remembered('a.jpg')] }, [pick]).others).toEqual([pick]);
});
