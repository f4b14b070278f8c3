import { copyFileSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildExiftoolStep } from '../../src/modules/formats/metadata/build-exiftool-step.js';
import { buildMetadataTags } from '../../src/modules/formats/metadata/build-metadata-tags.js';
import type { DescribedItem } from '../../src/modules/formats/metadata/find-values.js';
import { useFormatJobs } from '../support/converter/format-jobs.js';
import { run, runStep } from '../support/converter/run-invocation.js';
import { readPixels } from '../support/media/pixels.js';

const jobs = useFormatJobs();

const CUSTOMER = 'Süddeutsche Bildagentur für Häfen und Öresund';
const ITEM: DescribedItem = {
  type: 'image',
  name: 'Häfen am Morgen',
  description: 'Zwei Zeilen:\nBoote & "Möwen" <früh>',
  tags: ['Hafen', 'Möwe'],
  license: { usageTerms: 'Editorial use only', end: 1_798_675_200, types: ['web'] },
  metadata: [
    { title: 'author', content: 'Ada Vandermeer' },
    { title: 'headline', content: '-execute $(id) @x #y 100% `z` \\n', language: 'uni' },
    { title: 'credit', content: '😀 credit' },
  ],
};
const TITLES = ['container_name', 'container_description', 'author', 'headline', 'credit', 'tags', 'license', 'instructions'];

/** An image with what is written into it, in a jobs.folder of its own. */
async function write(source: string, name: string): Promise<string> {
  const job = mkdtempSync(path.join(jobs.folder, 'job-'));
  copyFileSync(source, path.join(job, name));
  const { tags } = buildMetadataTags({
    settings: { metadata: TITLES.map((metaTitle) => ({ metaTitle })) },
    item: ITEM,
    customer: { name: CUSTOMER },
    serviceName: 'Media Platform',
  });
  const { step, file } = buildExiftoolStep(tags, name);
  await runStep(job, step, [file]);
  return path.join(job, name);
}

/** All tags that exiftool finds, lists as lists. */
async function read(file: string): Promise<Record<string, unknown>> {
  const [tags] = JSON.parse(await run(jobs.folder, 'exiftool', ['-config', '', '-j', '-G1', '-struct', '-charset', 'iptc=utf8', file])) as [
    Record<string, unknown>,
  ];
  return tags;
}

describe('metadata in a photo', () => {
  it('is found by another program', async () => {
    const file = await write(jobs.media.photo, 'output.jpg');
    const lines = await run(jobs.folder, 'exiv2', ['-q', '-PEIXkv', 'pr', file]);
    const values = (key: string) => [...lines.matchAll(new RegExp(`^${key}\\s+(.*)$`, 'gm'))].map(([, value]) => value);
    expect(values('Iptc.Application2.Source')).toEqual(['Süddeutsche Bildagentur für H']);
    expect(values('Xmp.photoshop.Source')).toEqual([CUSTOMER]);
    expect(values('Xmp.xmp.CreatorTool')).toEqual(['Media Platform']);
    expect(values('Iptc.Application2.Keywords')).toEqual(['Hafen', 'Möwe']);
    expect(values('Iptc.Application2.ObjectName')).toEqual(['Häfen am Morgen']);
    expect(values('Exif.Image.Artist')).toEqual(['Ada Vandermeer']);
    expect(values('Xmp.xmpRights.UsageTerms')).toEqual(['lang="x-default" Editorial use only']);
    expect(values('Iptc.Application2.SpecialInstructions')).toEqual(['Valid until 2026-12-31. Permitted for web.']);
  });

  it('replaces all metadata of the camera', async () => {
    expect(await read(jobs.media.photo)).toHaveProperty(['IFD0:Make'], 'Camera');
    const keys = Object.keys(await read(await write(jobs.media.photo, 'output.jpg')));
    expect(keys.filter((key) => /GPS|Make|Orientation/.test(key))).toEqual([]);
  });

  it('leaves the picture unchanged', async () => {
    const file = await write(jobs.media.plain, 'output.png');
    expect((await readPixels(file)).differenceFrom(await readPixels(jobs.media.plain))).toBeNull();
  });
});

describe('metadata', () => {
  it.each([
    ['photo', 'output.jpg'],
    ['plain', 'output.png'],
    ['webp', 'output.webp'],
  ] as const)('of a %s holds every character as it was written', async (name, output) => {
    const source = name === 'webp' ? path.join(jobs.folder, 'plain.webp') : jobs.media[name];
    if (name === 'webp') await run(jobs.folder, 'convert', ['png:plain.png', 'webp:plain.webp']);
    const tags = await read(await write(source, output));
    expect(tags).toMatchObject({
      'XMP-dc:Title': 'Häfen am Morgen',
      'XMP-dc:Description': 'Zwei Zeilen:\nBoote & "Möwen" <früh>',
      'XMP-photoshop:Headline': '-execute $(id) @x #y 100% `z` \\n',
      'XMP-photoshop:Credit': '😀 credit',
      'XMP-dc:Subject': ['Hafen', 'Möwe'],
      'IFD0:Artist': 'Ada Vandermeer',
    });
  });
});
