import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { runDebianProgram } from '../debian-program.js';

/** Without a click Chromium would not play sound. */
export const PLAYS_BY_ITSELF = ['--autoplay-policy=no-user-gesture-required'];

/** A film of a moving bar with a tone, drawn by ffmpeg (WebM with VP8 and Opus). Its length is in its header, unlike in those that a browser records. */
export async function aFilm({ width, height, seconds }: { width: number; height: number; seconds: number }): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'film-'));
  const colour = (hex: string, w: number, h: number) => ['-f', 'lavfi', '-i', `color=c=0x${hex}:s=${w}x${h}:r=25:d=${seconds}`];
  const inputs = [...colour('2f5d9b', width, height), ...colour('f3c969', width / 10, height * 0.4)];
  const tone = ['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}`];
  const movement = ['-filter_complex', `[0][1]overlay=x='t/${seconds}*W*0.9':y=H*0.3:shortest=1`];
  const codecs = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25', '-c:a', 'libopus'];
  try {
    const parameters = ['-v', 'error', ...inputs, ...tone, ...movement, ...codecs, 'film.webm'];
    const { code, output } = await runDebianProgram('ffmpeg', parameters, { cwd: folder });
    if (code !== 0) throw new Error(`ffmpeg: ${output}`);
    return await readFile(path.join(folder, 'film.webm'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A tone of 440 Hz (WAV, 8 kHz, 16 bit, mono). */
export function aTone(seconds: number): Buffer {
  const rate = 8_000;
  const samples = Buffer.alloc(rate * seconds * 2);
  for (let n = 0; n < rate * seconds; n += 1) samples.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * n) / rate)), n * 2);
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, rate * 2],
    [40, samples.length],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  return Buffer.concat([head, samples]);
}

/** A picture of one colour with its size written on it (PNG), drawn by Chromium. */
export async function aPicture(
  browser: Browser,
  { width, height, colour = '#1d6b3c' }: { width: number; height: number; colour?: string },
): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(
    `<body style="margin:0;background:${colour};color:#fff;font:${height / 6}px sans-serif;display:grid;place-items:center;height:100vh">${width} × ${height}`,
  );
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

/** A page of A4 with one line on it (PDF). */
export function aPdf(line: string): Buffer {
  const text = `BT /F1 36 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${pdf}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`, 'latin1');
}
