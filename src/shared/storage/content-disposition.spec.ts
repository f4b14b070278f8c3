import { expect, it } from '@jest/globals';
import { contentDisposition } from './content-disposition.js';

it.each([
  ['report.pdf', `filename="report.pdf"; filename*=UTF-8''report.pdf`],
  ['Grüße & mehr.pdf', `filename="Gru_e & mehr.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%26%20mehr.pdf`],
  ['日本.mp4', `filename="__.mp4"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.mp4`],
  ['100 "percent".txt', `filename="100 _percent_.txt"; filename*=UTF-8''100%20%22percent%22.txt`],
  [`it's (1)*.txt`, `filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
  ['../a\r\nb: c', `filename=".._a__b: c"; filename*=UTF-8''.._a__b%3A%20c`],
  ['holiday\u202egpj.exe', `filename="holiday_gpj.exe"; filename*=UTF-8''holiday_gpj.exe`],
  ['\ud800.txt', `filename="_.txt"; filename*=UTF-8''_.txt`],
])('%j is named for every client', (name, expected) => {
  expect(contentDisposition('attachment', name)).toBe(`attachment; ${expected}`);
});

it('lets a browser show the file', () => {
  expect(contentDisposition('inline', 'a')).toMatch(/^inline; /);
});

it.each(['a', 'ü', '名', '😀'])('a name of too many %s is cut between characters, in front of its extension', (character) => {
  const [, encoded = ''] = contentDisposition('inline', `${character.repeat(1_024)}.mp4`).split("''");
  const name = decodeURIComponent(encoded);
  expect(name).toMatch(new RegExp(`^(?:${character})+\\.mp4$`, 'u'));
  expect(Buffer.byteLength(name)).toBeGreaterThan(251);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
});
