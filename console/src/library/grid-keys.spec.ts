import { expect, it } from '@jest/globals';
import { moveByKey } from './grid-keys';

const shape = { count: 11, columns: 4, rowsOfScreen: 2 };

it.each([
  ['ArrowRight', 0, 1],
  ['ArrowRight', 10, 10],
  ['ArrowLeft', 4, 3],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 1, 5],
  ['ArrowDown', 7, 7],
  ['ArrowUp', 5, 1],
  ['ArrowUp', 2, 2],
  ['PageDown', 1, 9],
  ['PageDown', 9, 10],
  ['PageUp', 9, 1],
  ['Home', 9, 0],
  ['End', 1, 10],
] as const)('%s leads from %d to %d', (key, from, to) => {
  expect(moveByKey(key, from, shape)).toBe(to);
});

it.each(['a', 'Enter', 'toString'])('%s does not move', (key) => {
  expect(moveByKey(key, 3, shape)).toBeUndefined();
});
