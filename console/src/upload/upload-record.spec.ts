import { expect, it } from '@jest/globals';
import { matchFiles } from './upload-record';

const file = (name: string, size: number, content = '') => ({ name, size, content });

it('finds the same files in the order of the upload, among others', () => {
  const chosen = [file('c', 3), file('b', 2), file('a', 1)];
  expect(matchFiles([file('a', 1), file('b', 2)], chosen)).toEqual([file('a', 1), file('b', 2)]);
});

it('takes each of two files of the same name and size once', () => {
  const chosen = [file('a', 1, 'x'), file('a', 1, 'y')];
  expect(matchFiles([file('a', 1), file('a', 1)], chosen)).toEqual(chosen);
  expect(matchFiles([file('a', 1), file('a', 1)], chosen.slice(1))).toBeNull();
});

it('refuses a file of another size', () => {
  expect(matchFiles([file('a', 1)], [file('a', 2)])).toBeNull();
});
