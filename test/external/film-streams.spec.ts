import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ActivitiesRepository } from '../../src/modules/activity/index.js';
import { EmbeddedWordsJob } from '../../src/modules/converter/inspection/embedded-words.job.js';
import { InspectionsService } from '../../src/modules/converter/inspection/inspections.service.js';
import type { TrackChangesDto } from '../../src/modules/library/tracks/tracks.dto.js';
import { TracksService } from '../../src/modules/library/tracks/tracks.service.js';
import { type MediaItem, MediaItemsRepository, MediaRenditionsService } from '../../src/modules/media/index.js';
import type { Caller } from '../../src/shared/auth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { type PlacedOriginal, useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';

const stage = useExecutionStage();
afterEach(() => expect(stage.leftovers()).toEqual([]));

const lavfi = (source: string) => ['-f', 'lavfi', '-i', source];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** A file that ffmpeg draws. */
async function draw(name: string, ...argv: readonly string[]): Promise<string> {
  const file = path.join(stage.folder, name);
  await run(stage.folder, 'ffmpeg', ['-v', 'error', '-y', ...argv, file]);
  return file;
}

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const file = path.join(stage.folder, name);
  await writeFile(file, content);
  return file;
}

/** Inspects an original as after its success, and returns the tracks of its container and what the job reports. */
async function takeWords({ sourceMediaId, mediaContainerId }: PlacedOriginal) {
  await stage.context.get(InspectionsService).inspect(sourceMediaId);
  await stage.context.get(EmbeddedWordsJob).take(sourceMediaId);
  const items = await stage.context.get(MediaItemsRepository).findByContainers([mediaContainerId]);
  const query = { type: 'trackExtraction', mediaContainerId, limit: 1 } as const;
  const [listed] = await stage.context.get(ActivitiesRepository).list(stage.customerId, query);
  const found = listed && (await stage.context.get(ActivitiesRepository).find(listed.id));
  return { tracks: items.filter(({ role }) => role !== null), activity: found?.result ?? null };
}

/** The WebVTT that viewers get of a track. */
async function textOfTrack({ webVttKey }: MediaItem): Promise<string> {
  const object = await stage.context.get(ObjectStorage).read(webVttKey ?? '');
  return object ? await text(object.body) : '';
}

describe('a film of several sounds', () => {
  /** The file of a film, in Matroska: a picture, and a tone for each sound. */
  const drawFilm = async (name: string, seconds: number, sounds: readonly (readonly string[])[]) => {
    const inputs = sounds.flatMap((_, index) => lavfi(`sine=f=${300 + 100 * index}:d=${seconds}`));
    const maps = sounds.flatMap((options, index) => ['-map', String(index + 1), ...options]);
    const encoding = [...X264, '-c:a', 'aac', '-b:a', '32k'];
    return await draw(name, ...lavfi(`testsrc2=s=320x240:r=25:d=${seconds}`), ...inputs, '-map', '0', ...maps, ...encoding);
  };
  const sound = (index: number, language: string, title: string | null, disposition: string): string[] => [
    ...[`-metadata:s:a:${index}`, `language=${language}`, `-disposition:a:${index}`, disposition],
    ...(title === null ? [] : [`-metadata:s:a:${index}`, `title=${title}`]),
  ];

  it('is a picture without sound, and a rendition of each sound, the default first and the comment never', async () => {
    const file = await drawFilm('voices.mkv', 6, [
      sound(0, 'ger', 'Kommentar der Regie', 'default+comment'),
      sound(1, 'ger', null, '0'),
      sound(2, 'eng', null, 'default'),
      sound(3, 'eng', null, 'visual_impaired'),
    ]);
    const placed = await stage.place({ file, fileExtension: 'mkv' });
    const [audio, rung] = [await stage.blueprint('streaming-audio'), await stage.blueprint('streaming-240p')];
    const muxed = await stage.run(placed, rung);
    expect(muxed.outcome).toMatchObject({ rendition: { streaming: { facts: { codecs: expect.stringMatching(/^avc1.*,mp4a/) } } } });
    const { outcome } = await stage.run(placed, audio);
    if (outcome.kind !== 'made' || !outcome.rendition) throw new Error(JSON.stringify(outcome));
    const { rendition, others = [] } = outcome;
    expect(
      [rendition, ...others].map(({ track, streaming }) => [track?.label, track?.language, track?.isDefault, streaming?.facts.sound]),
    ).toEqual([
      ['English', 'en', true, 'main'],
      ['Kommentar der Regie', 'de', false, 'commentary'],
      ['Deutsch', 'de', false, 'main'],
      ['English (audio description)', 'en', false, 'description'],
    ]);
    expect(new Set([rendition, ...others].map(({ s3Key }) => s3Key)).size).toBe(4);
    for (const { streaming } of others) expect(streaming?.index.segmentMs.length).toBe(rendition.streaming?.index.segmentMs.length);
    const ids = { ...placed, formatId: audio };
    const id = await stage.context
      .get(Database)
      .transaction(async () => await stage.context.get(MediaRenditionsService).add(ids, rendition, others));
    expect(id).toBeGreaterThan(placed.sourceMediaId + 3);
    const apart = await stage.run(placed, rung);
    expect(apart.outcome).toMatchObject({
      rendition: { streaming: { facts: { codecs: expect.stringMatching(/^avc1\.[0-9a-f]{6}$/), isSoundApart: true } } },
    });
  });

  it('with 40 sounds and 60 subtitles has 32 of each, and names the others', async () => {
    const tone = await draw('tone.mka', ...lavfi('sine=d=1'), '-c:a', 'aac');
    const words = await write('text.srt', '1\n00:00:00,000 --> 00:00:01,000\nHello\n');
    const maps = [...Array(40).fill(['-map', '1']), ...Array(60).fill(['-map', '2'])].flat();
    const titles = [...Array(40).keys()].flatMap((index) => [`-metadata:s:a:${index}`, `title=Voice ${index}`]);
    const names = [...Array(60).keys()].flatMap((index) => [`-metadata:s:s:${index}`, `title=Text ${index}`]);
    const picture = lavfi('testsrc2=s=64x48:r=5:d=1');
    const file = await draw(
      'many.mkv',
      ...picture,
      '-i',
      tone,
      '-i',
      words,
      '-map',
      '0',
      ...maps,
      ...titles,
      ...names,
      ...X264,
      '-c:a',
      'copy',
    );
    const placed = await stage.place({ file, fileExtension: 'mkv' });
    const { outcome } = await stage.run(placed, await stage.blueprint('streaming-audio'));
    if (outcome.kind !== 'made') throw new Error(JSON.stringify(outcome));
    expect(outcome.others).toHaveLength(31);
    expect(outcome.message).toMatch(/Not taken: Voice 32, .*, Voice 39\.$/);
    const { tracks, activity } = await takeWords(placed);
    expect(tracks.map(({ label }) => label)).toEqual([...Array(32).keys()].map((index) => `Text ${index}`));
    expect(activity).toMatchObject({ tracks: 32, message: expect.stringMatching(/^Not taken: Text 32 \(more than 32.*, Text 59 \(/) });
  });
});

describe('the words inside a film', () => {
  /** A stream of Presentation Graphics (PGS) that shows nothing: an empty composition, and its end. */
  const pgs = Buffer.concat(
    [
      [0x16, Buffer.from([0, 64, 0, 48, 0x10, 0, 0, 0x80, 0, 0, 0])],
      [0x80, Buffer.alloc(0)],
    ].map(([type, body]) => {
      const head = Buffer.from('PG\0\0\0\0\0\0\0\0\0\0\0', 'latin1');
      head[10] = Number(type);
      head.writeUInt16BE((body as Buffer).length, 11);
      return Buffer.concat([head, body as Buffer]);
    }),
  );

  const drawWords = async () => {
    const [german, english] = [
      await write('german.srt', '1\n00:00:01,000 --> 00:00:02,000\n<i>Grüße</i> & Küsse\n'),
      await write('english.srt', '1\n00:00:02,500 --> 00:00:03,000\nSigns\n'),
    ];
    const pictures = await write('pictures.sup', pgs);
    const chapters = await write(
      'chapters.txt',
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\ntitle=Die <Brücke>\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=4000\n',
    );
    const inputs = [german, english, pictures, chapters].flatMap((file) => ['-i', file]);
    const maps = [0, 1, 2, 3].flatMap((index) => ['-map', String(index)]);
    const described = [
      ...[
        '-metadata:s:s:0',
        'language=ger',
        '-disposition:s:0',
        'default',
        '-metadata:s:s:1',
        'language=eng',
        '-disposition:s:1',
        'forced',
      ],
      ...['-metadata:s:s:2', 'language=fre', '-disposition:s:2', '0', '-c:s:0', 'srt', '-c:s:1', 'ass', '-c:s:2', 'copy'],
    ];
    return await draw('words.mkv', ...lavfi('testsrc2=s=64x48:r=5:d=4'), ...inputs, ...maps, '-map_chapters', '4', ...described, ...X264);
  };

  it('become tracks: subtitles as text, chapters; pictures of words are named', async () => {
    const placed = await stage.place({ file: await drawWords(), fileExtension: 'mkv' });
    const { tracks, activity } = await takeWords(placed);
    expect(tracks.map(({ role, language, label, isDefault }) => [role, language, label, isDefault])).toEqual([
      ['subtitles', 'de', 'Deutsch', true],
      ['subtitles', 'en', 'English (forced)', false],
      ['chapters', null, 'Chapters', false],
    ]);
    const [german, english, chapters] = await Promise.all(tracks.map(textOfTrack));
    expect(german).toContain('00:00:01.000 --> 00:00:02.000\n<i>Grüße</i> &amp; Küsse');
    expect(english).toContain('00:00:02.500 --> 00:00:03.000\nSigns');
    expect(chapters).toContain('00:00:00.000 --> 00:00:02.000\nDie &lt;Brücke&gt;');
    expect(activity).toMatchObject({ tracks: 3, message: 'Not taken: Français (pictures of words (PGS)).' });
    const again = await takeWords(placed);
    expect(again.tracks.map(({ id }) => id)).toEqual(tracks.map(({ id }) => id));
    const caller = { customerId: stage.customerId } as Caller;
    const address = { id: placed.mediaContainerId, mediaId: tracks[2]?.id ?? 0 };
    const update = async (changes: TrackChangesDto) => await stage.context.get(TracksService).update(caller, address, changes);
    expect(await update({ label: 'Kapitel' })).toMatchObject({ label: 'Kapitel', language: null });
    expect(await update({ language: 'ger' })).toMatchObject({ label: 'Kapitel', language: 'de' });
  });

  it('give way to tracks that the container has', async () => {
    const placed = await stage.place({ file: await drawWords(), fileExtension: 'mkv' });
    const insert = `INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, status, bucket, s3_key, role, language,
      label, is_default) SELECT media_container_id, customer_id, 'document', 'mine', 'vtt', 1, 'successful', bucket, 'uploads/' || $2, $2, 'de', 'Mine', true
      FROM media_items WHERE id = $1`;
    for (const role of ['subtitles', 'chapters']) await stage.context.get(Database).query(insert, [placed.sourceMediaId, role]);
    const { tracks, activity } = await takeWords(placed);
    expect(tracks.map(({ label, role }) => `${label}: ${role}`).toSorted()).toEqual([
      'English (forced): subtitles',
      'Mine: chapters',
      'Mine: subtitles',
    ]);
    expect(activity).toMatchObject({ tracks: 1 });
  });

  it('of a file whose end is missing are those that it has', async () => {
    const whole = await readFile(await drawWords());
    const file = await write('cut.mkv', whole.subarray(0, Math.floor(whole.length * 0.7)));
    const { tracks } = await takeWords(await stage.place({ file, fileExtension: 'mkv' }));
    expect(tracks.map(({ label }) => label)).toContain('Chapters');
  });

  it('are not taken out of renditions, and nothing is reported of a film without any', async () => {
    const placed = await stage.place({
      file: await draw('plain.mp4', ...lavfi('testsrc2=s=64x48:r=5:d=1'), ...X264),
      fileExtension: 'mp4',
    });
    expect(await takeWords(placed)).toMatchObject({ tracks: [], activity: null });
  });
});
