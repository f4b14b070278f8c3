import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readTechnicalMetadata } from './result-inspector.service.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'technical-metadata-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

it('is the output of ffprobe without the path of the file and without NUL characters', async () => {
  const file = path.join(folder, 'output.json');
  const titles = { named: '\\u0000', ending: 'a"\\u0000', held: 'a\0b' };
  await writeFile(file, JSON.stringify({ streams: [], format: { filename: 'file:source', tags: titles } }));
  const told = { streams: [], format: { tags: { ...titles, held: 'ab' } } };
  expect(await readTechnicalMetadata(file)).toEqual(told);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(told);
});
