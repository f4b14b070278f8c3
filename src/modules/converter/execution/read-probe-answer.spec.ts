import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readProbeAnswer } from './read-probe-answer.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'probe-answer-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** What is read of titles that are stored in bytes, with another text in UTF-8 beside them. */
async function titlesOf(...titles: readonly Buffer[]): Promise<readonly string[]> {
  const file = path.join(folder, 'answer.json');
  const members = titles.flatMap((title, index) => [Buffer.from(`"${index}":"`), title, Buffer.from('",')]);
  await writeFile(file, Buffer.concat([Buffer.from('{'), ...members, Buffer.from('"number":1,"name":"Größe \\u0001"}')]));
  const { name, number, ...read } = JSON.parse(await readProbeAnswer(file)) as Record<string, string>;
  expect({ name, number }).toEqual({ name: 'Größe \u0001', number: 1 });
  return Object.values(read);
}
/** Small letters of Russian follow each other in windows-1251. */
const cyrillic = (text: string): Buffer =>
  Buffer.from([...text].map((one) => (one >= 'А' && one <= 'я' ? one.charCodeAt(0) - 0x350 : one.charCodeAt(0))));

it.each([
  ['Чайка над гаванью', 'Ада Лавлейс'],
  ['Чайка', ''],
  ['Кино (live)', '1989'],
])('titles in Cyrillic are read as they were written: %j, %j', async (...titles) => {
  expect(await titlesOf(...titles.map(cyrillic))).toEqual(titles);
});

it.each([
  ['Ça ira', 'Édith Piaf'],
  ['Größe', 'Björk'],
  ['Señorita', 'María'],
])('titles in Latin letters are read as they were written: %j, %j', async (...titles) => {
  expect(await titlesOf(...titles.map((title) => Buffer.from(title, 'latin1')))).toEqual(titles);
});

it('titles in KOI8-R and Greek are read as they were written', async () => {
  expect(await titlesOf(Buffer.from('fec1cacbc120cec1c420c7c1d7c1ced8c0', 'hex'))).toEqual(['Чайка над гаванью']);
  expect(await titlesOf(Buffer.from('cf20e3ebdcf1eff220a2edede1', 'hex'))).toEqual(['Ο γλάρος Άννα']);
});

it('what is UTF-8 stays as it is', async () => {
  expect(await titlesOf(Buffer.from('Чайка 鷗'))).toEqual(['Чайка 鷗']);
});
