import type { Browser } from 'playwright-core';

/** Without a click Chromium would neither play nor record sound. */
export const PLAYS_BY_ITSELF = ['--autoplay-policy=no-user-gesture-required'];

/** A film of a moving bar with a tone, recorded by Chromium itself in real time (WebM with VP8 and Opus). */
export async function recordFilm(browser: Browser, film: { width: number; height: number; seconds: number }): Promise<Buffer> {
  const page = await browser.newPage();
  const base64 = await page.evaluate(`(${recordInPage})(${JSON.stringify(film)})`);
  await page.close();
  return Buffer.from(String(base64), 'base64');
}

/** Runs in the page, so it is text. */
const recordInPage = `async ({ width, height, seconds }) => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const drawing = canvas.getContext('2d');
  const audio = new AudioContext();
  const [tone, sound] = [audio.createOscillator(), audio.createMediaStreamDestination()];
  tone.connect(sound);
  tone.start();
  const stream = new MediaStream([...canvas.captureStream(25).getTracks(), ...sound.stream.getTracks()]);
  const recorder = new MediaRecorder(stream, { mimeType: 'video/webm;codecs=vp8,opus' });
  const chunks = [];
  recorder.ondataavailable = ({ data }) => chunks.push(data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  const start = performance.now();
  recorder.start();
  for (let now = 0; now < seconds * 1000 + 300; now = performance.now() - start) {
    drawing.fillStyle = '#2f5d9b';
    drawing.fillRect(0, 0, width, height);
    drawing.fillStyle = '#f3c969';
    drawing.fillRect((now / 1000 / seconds) * width * 0.9, height * 0.3, width * 0.1, height * 0.4);
    drawing.font = height / 6 + 'px sans-serif';
    drawing.fillText((now / 1000).toFixed(1) + ' s', width * 0.05, height * 0.2);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}`;

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
