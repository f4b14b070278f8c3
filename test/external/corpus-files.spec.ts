import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { PictureResizingService, UnreadablePicture } from '../../src/modules/converter/index.js';
import { MediaItemsRepository, type PictureSource, PicturesRepository, type ReadySize } from '../../src/modules/media/index.js';
import { convertTextTrack } from '../../src/modules/media/tracks/convert-text-track.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { blueprintsFor, formatsOf, numbered, type Turns } from '../corpus/by-turns.js';
import { DOCUMENTS, REFUSED_DOCUMENTS } from '../corpus/documents.js';
import { makeFile, type Recipe, type RefusedFile, writeProfiles } from '../corpus/make-file.js';
import {
  colorDistance,
  cornersOf,
  countPages,
  countPictures,
  cuesOf,
  mediainfo,
  privateTags,
  tagsOf,
  timingOf,
  wordsOf,
} from '../corpus/measure.js';
import { type CorpusPicture, PICTURES, REFUSED_PICTURES } from '../corpus/pictures.js';
import { REFUSED_WORDS, WORDS } from '../corpus/words.js';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { put } from '../support/media/hostile-files.js';

const stage = useExecutionStage();
/** Programs that run at the same time: while one is starting, another uses the processor. */
const limit = pLimit(3);
beforeAll(async () => await writeProfiles(stage.folder));
afterEach(() => expect(stage.leftovers()).toEqual([]));

/** Of each line a picture gets one format in CI: one whose files have no transparency, and one whose files have it. */
const PICTURE_TURNS: Turns = [
  ['jpeg', 'image-thumbnail'],
  ['png', 'webp', 'avif'],
];
const IMAGE_BLUEPRINTS = PICTURE_TURNS.flat();
/** Formats whose files have transparency. */
const CLEAR = ['png', 'webp', 'avif'];
/** CIE 1976: little more than what people notice. */
const NOTICED = 3;
const WHITE = [255, 255, 255] as const;

async function checkPicture(file: string, key: string, { corners, tolerance = NOTICED }: CorpusPicture): Promise<void> {
  for (const [index, seen] of (await cornersOf(file)).entries()) {
    const expected = corners[index] ?? (CLEAR.includes(key) ? null : WHITE);
    if (expected === null) expect([key, index, seen.opacity]).toEqual([key, index, 0]);
    else {
      const { color, opacity } = seen;
      expect([key, index, color, opacity, expected, colorDistance(color, expected) <= tolerance]).toEqual([
        key,
        index,
        color,
        255,
        expected,
        true,
      ]);
    }
  }
}

describe.each(numbered(PICTURES))('$name ($extension)', ({ number, ...picture }) => {
  it('has its colours, its shape and its transparency, and tells nothing about its author', async () => {
    const file = await makeFile(stage.folder, picture);
    const placed = await stage.upload({ file, type: 'image', fileExtension: picture.extension });
    const convert = async (key: string): Promise<string> => {
      const { file, rendition, source } = await stage.make(placed, await stage.blueprint(key));
      const factor = Math.min(1, (key === 'image-thumbnail' ? 400 : 2_560) / picture.width);
      expect([source.facts.width, source.facts.height]).toEqual([picture.width, picture.height]);
      expect([key, rendition.facts.width, rendition.facts.height]).toEqual([
        key,
        Math.round(picture.width * factor),
        Math.round(picture.height * factor),
      ]);
      await checkPicture(file, key, picture);
      expect([key, await countPictures(file)]).toEqual([key, key === 'webp' ? (picture.pictures ?? 1) : 1]);
      if (key === 'webp' && picture.timing) expect(await timingOf(file)).toEqual(picture.timing);
      return file;
    };
    const files = await Promise.all(formatsOf(PICTURE_TURNS, number).map(async (key) => await limit(convert, key)));
    for (const tags of await tagsOf(files)) {
      expect(tags['ICC_Profile:ProfileDescription']).toMatch(/^sRGB/);
      expect(privateTags(tags, picture.secrets ?? [])).toEqual([]);
    }
  });
});

/** A picture of at most 160 pixels, as viewers get it. */
async function resize(
  recipe: Recipe,
  format: 'webp' | 'gif' = 'webp',
): Promise<{ readonly size: ReadySize | null; readonly facts: PictureSource | null }> {
  const file = await makeFile(stage.folder, recipe);
  const { sourceMediaId } = await stage.place({ file, type: 'image', fileExtension: recipe.extension });
  const [item] = await stage.context.get(MediaItemsRepository).findMany([sourceMediaId]);
  if (!item) throw new Error('There is no item.');
  const wanted = { size: { width: 160, fit: 'inside' as const }, formatFor: () => format, name: format };
  const size = await stage.context.get(PictureResizingService).make(item, wanted);
  return { size, facts: await stage.context.get(PicturesRepository).findSource(item) };
}

describe.each(PICTURES)('$name ($extension) in another size', (picture) => {
  it('has its colours, its shape, its transparency and its animation', async () => {
    const { size, facts } = await resize(picture);
    const factor = Math.min(1, 160 / picture.width);
    expect(size).toMatchObject({ width: Math.round(picture.width * factor), height: Math.round(picture.height * factor) });
    expect(facts).toMatchObject({ animated: (picture.pictures ?? 1) > 1, transparent: picture.corners.includes(null) });
    const object = await stage.context.get(ObjectStorage).read(size?.s3Key ?? '');
    const file = put(stage.folder, 'size.webp', object ? await buffer(object.body) : '');
    await checkPicture(file, 'webp', picture);
    expect(await countPictures(file)).toBe(picture.pictures ?? 1);
    if (!picture.timing) return;
    expect(await timingOf(file)).toEqual(picture.timing);
    const gif = await stage.context.get(ObjectStorage).read((await resize(picture, 'gif')).size?.s3Key ?? '');
    expect(await timingOf(put(stage.folder, 'size.gif', gif ? await buffer(gif.body) : ''))).toEqual(picture.timing);
  });
});

describe.each(REFUSED_PICTURES)('$name ($extension) in another size', (refused) => {
  it('is not delivered in any size', async () => await expect(resize(refused)).rejects.toThrow(UnreadablePicture));
});

/** Expects that no blueprint makes anything of a file, and what its owner is told. */
async function expectRefusal(refused: RefusedFile, type: string, blueprints: readonly string[]): Promise<void> {
  const placed = await stage.place({ file: await makeFile(stage.folder, refused), type, fileExtension: refused.extension });
  for (const key of blueprints) {
    const { outcome } = await stage.run(placed, await stage.blueprint(key));
    expect([key, outcome]).toMatchObject([
      key,
      { kind: 'failed', code: 'source_unreadable', message: expect.stringMatching(refused.reason) },
    ]);
  }
}

describe.each(REFUSED_PICTURES)('$name ($extension)', (refused) => {
  it('is refused in every format, with what its owner can do', async () => await expectRefusal(refused, 'image', IMAGE_BLUEPRINTS));
});

const DOCUMENT_BLUEPRINTS = ['document-pdf', 'document-page'];
/** A4 and Letter at 110 dpi. */
const SHEETS = ['910x1287', '935x1210'];

describe.each(DOCUMENTS)('$name ($extension)', ({ pages, image, points, words = [], absent = [], ...document }) => {
  it('has its pages, its words and its shape in a PDF and in an image of its first page', async () => {
    const original = { file: await makeFile(stage.folder, document), type: 'document', fileExtension: document.extension };
    const placed = await stage.upload(original);
    const [item] = await stage.context.get(MediaItemsRepository).findMany([placed.sourceMediaId]);
    if (points) expect([item?.width, item?.height]).toEqual(points);
    const make = async (key: string) => await stage.make(placed, await stage.blueprint(key));
    const [{ file }, page] = await Promise.all([make('document-pdf'), make('document-page')]);
    expect(await countPages(file)).toBe(pages);
    const text = await wordsOf(file);
    for (const word of words) expect(text).toContain(word);
    for (const word of absent) expect(text).not.toContain(word);
    const size = (await mediainfo(page.file, 'Image', 'Width', 'Height')).join('x');
    expect(image ? [image.join('x')] : SHEETS).toContain(size);
  });
});

describe.each(REFUSED_DOCUMENTS)('$name ($extension)', (refused) => {
  it('is refused, with what its owner can do', async () => {
    await expectRefusal(refused, 'document', refused.extension === 'pdf' ? ['document-page'] : DOCUMENT_BLUEPRINTS);
  });
});

describe('words', () => {
  it.each(WORDS)('$name ($extension): are those that were written', async ({ language, cues, ...words }) => {
    const { text, problem } = convertTextTrack(readFileSync(await makeFile(stage.folder, words)), language);
    expect(problem).toBeNull();
    expect(await cuesOf(put(stage.folder, 'words.vtt', text))).toEqual(cues);
  });

  it.each(REFUSED_WORDS)('$name ($extension): are refused with the line', async ({ line, reason, language, ...words }) => {
    const { problem } = convertTextTrack(readFileSync(await makeFile(stage.folder, words)), language);
    expect(problem).toEqual({ line, message: expect.stringMatching(reason) });
  });
});

it('every format that converts pictures or documents has its turn', () => {
  expect([...blueprintsFor('image')].sort()).toEqual(['copy', ...IMAGE_BLUEPRINTS].sort());
  expect([...blueprintsFor('document')].sort()).toEqual(['copy', ...DOCUMENT_BLUEPRINTS].sort());
});
