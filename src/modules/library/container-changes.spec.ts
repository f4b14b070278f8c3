import { describe, expect, it } from '@jest/globals';
import type { ContainerFlag, ContainerType } from '../media/index.js';
import { checkContainerKind } from './container-changes.js';

const paths = (before: [ContainerType, ContainerFlag], after: [ContainerType, ContainerFlag], original: ContainerType | null = before[0]) =>
  checkContainerKind({ type: before[0], flag: before[1] }, { type: after[0], flag: after[1] }, original).map(({ path }) => path);

describe('the kind of a container', () => {
  it.each<[[ContainerType, ContainerFlag], [ContainerType, ContainerFlag], ContainerType | undefined]>([
    [['video', 0], ['video', 1], undefined],
    [['video', 1], ['video', 0], undefined],
    [['image', 0], ['watermark', 33], undefined],
    [['audio', 0], ['watermark', 33], undefined],
    [['image', 1], ['watermark', 33], undefined],
    [['watermark', 33], ['watermark', 1], 'image'],
    [['watermark', 1], ['watermark', 33], 'image'],
    [['watermark', 33], ['image', 0], 'image'],
  ])('may go from %j to %j', (before, after, original) => {
    expect(paths(before, after, original)).toEqual([]);
  });

  it.each<[[ContainerType, ContainerFlag], [ContainerType, ContainerFlag], ContainerType | undefined, string[]]>([
    [['video', 0], ['watermark', 33], undefined, ['type']],
    [['document', 0], ['watermark', 33], undefined, ['type']],
    [['image', 0], ['image', 33], undefined, ['flag']],
    [['image', 0], ['watermark', 0], undefined, ['flag']],
    [['image', 0], ['video', 0], undefined, ['type']],
    [['watermark', 33], ['video', 0], 'image', ['type']],
    [['watermark', 33], ['watermark', 0], 'image', ['flag']],
    [['watermark', 33], ['image', 33], 'image', ['flag']],
    [['video', 0], ['audio', 33], undefined, ['type', 'flag']],
  ])('may not go from %j to %j', (before, after, original, expected) => {
    expect(paths(before, after, original)).toEqual(expected);
  });
});
