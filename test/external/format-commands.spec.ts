import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { launchChromium } from '../support/browser/chromium.js';
import { useFormatJobs } from '../support/converter/format-jobs.js';
import { A_DOCUMENT, A_SOUND, AN_IMAGE, aSource } from '../support/converter/format-requests.js';
import { run } from '../support/converter/run-invocation.js';
import { readPixels } from '../support/media/pixels.js';
import { serveFile } from '../support/storage/file-server.js';

const jobs = useFormatJobs();
const VIDEO = aSource({ width: 1280, height: 720, duration: 2 });
const GREY = aSource({ width: 640, height: 360, duration: 2, hasAudio: false });

/** Runs in the page: goes to second 1.5 of the video and says where it is. */
const SEEK = `(async () => {
  const video = document.querySelector('video');
  const until = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
  });
  if (video.readyState < 1) await until('loadedmetadata');
  const seeked = until('seeked');
  video.currentTime = 1.5;
  await seeked;
  return { at: video.currentTime, width: video.videoWidth, height: video.videoHeight, duration: video.duration };
})()`;
describe('the blueprints of videos', () => {
  it.each([
    ['h264-1080p', 1280, 720, 'High'],
    ['h264-720p', 1280, 720, 'High'],
    ['h264-360p', 640, 360, 'High'],
    ['video-preview', 640, 360, 'Main'],
  ])('%s makes a file that every browser plays, %d x %d', async (blueprint, width, height, profile) => {
    const file = await jobs.make(blueprint, { source: VIDEO }, { source: jobs.media.video });
    const { streams, format } = await jobs.probe(file);
    expect(streams[0]).toMatchObject({ codec_name: 'h264', width, height, profile, pix_fmt: 'yuv420p' });
    expect(streams[1]).toMatchObject({ codec_name: 'aac', sample_rate: '48000' });
    expect(Number(format.duration)).toBeCloseTo(2, 0);
    const bytes = readFileSync(file);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    expect(format.tags).not.toHaveProperty('title');
    expect(bytes.includes('+51.9')).toBe(false);
  });

  it('make a poster, even from a video that is shorter than its position', async () => {
    const file = await jobs.make('video-poster', { source: GREY }, { source: jobs.media.grey });
    expect((await readPixels(file)).width).toBe(640);
    expect(readFileSync(file).subarray(0, 3).toString('hex')).toBe('ffd8ff');
  });

  it('make files that a browser can seek in', async () => {
    const file = await jobs.make('h264-360p', { source: VIDEO }, { source: jobs.media.video });
    const [server, browser] = await Promise.all([serveFile(file, 'video/mp4'), launchChromium()]);
    try {
      const page = await browser.newPage();
      await page.goto(server.url);
      const seen = await page.evaluate(SEEK);
      expect(seen).toEqual({ at: 1.5, width: 640, height: 360, duration: expect.closeTo(2, 0) });
    } finally {
      await browser.close();
      await server.close();
    }
  });

  it('make only the first seconds in test mode', async () => {
    const file = await jobs.make('h264-360p', { source: VIDEO, settings: { testMode: { seconds: 1 } } }, { source: jobs.media.video });
    expect(Number((await jobs.probe(file)).format.duration)).toBeCloseTo(1, 1);
  });
});

describe('the blueprints of sound', () => {
  it.each([
    ['mp3', 'mp3', '44100'],
    ['aac', 'aac', '48000'],
    ['audio-preview', 'mp3', '44100'],
  ])('%s makes %s', async (blueprint, codec, rate) => {
    const file = await jobs.make(blueprint, { source: A_SOUND }, { source: jobs.media.beep });
    expect((await jobs.probe(file)).streams).toEqual([expect.objectContaining({ codec_name: codec, sample_rate: rate })]);
  });

  it('a watermark is audible at its position, and again after each interval', async () => {
    const settings = { audioWatermark: { mediaContainerId: 1, position: 1, interval: 2 } };
    const file = await jobs.make('mp3', { source: A_SOUND, settings }, { source: jobs.media.silence, audioWatermark: jobs.media.beep });
    await run(path.dirname(file), 'ffmpeg', ['-v', 'error', '-i', file, '-f', 's16le', '-ac', '1', '-ar', '8000', 'sound.raw']);
    const raw = readFileSync(path.join(path.dirname(file), 'sound.raw'));
    const samples = new Int16Array(raw.buffer, raw.byteOffset, raw.length / 2);
    const isLoud = (second: number) => Math.max(...samples.subarray(second * 8_000, second * 8_000 + 800).map(Math.abs)) > 1_000;
    expect([0.5, 1.1, 1.6, 2.5, 3.1, 3.6, 4.5, 5.1, 5.6].filter(isLoud)).toEqual([1.1, 3.1, 5.1]);
    expect(samples.length / 8_000).toBeCloseTo(6, 0);
  });
});

describe('the blueprints of images', () => {
  const PHOTO = { ...AN_IMAGE, width: 400, height: 600, rotation: 90 };

  it.each([
    ['jpeg', 'JPEG', '600x400'],
    ['png', 'PNG', '600x400'],
    ['webp', 'WEBP', '600x400'],
    ['image-thumbnail', 'JPEG', '400x267'],
  ])('%s makes an upright %s of %s without the metadata of the camera', async (blueprint, format, size) => {
    const file = await jobs.make(blueprint, { source: PHOTO }, { source: jobs.media.photo });
    expect(await run(jobs.folder, 'identify', ['-format', '%m %wx%h %[colorspace]', file])).toBe(`${format} ${size} sRGB`);
    const pixels = await readPixels(file);
    expect(pixels.at(100, 10)).toEqual([expect.closeTo(254, -1), expect.closeTo(0, -1), expect.closeTo(0, -1)]);
    expect(pixels.at(100, pixels.height - 10)).toEqual([expect.closeTo(0, -1), expect.closeTo(0, -1), expect.closeTo(254, -1)]);
    expect(await run(jobs.folder, 'exiftool', ['-s', '-GPS*', '-Make', '-Orientation', file])).toBe('');
  });
});

describe('AVIF', () => {
  /** Runs in the page: shows a picture, and reads the colour and opacity of its pixels. */
  const READ = (url: string) => `(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(url)};
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const at = (x, y) => [...canvas.getImageData(x, y, 1, 1).data];
    return { size: [image.naturalWidth, image.naturalHeight], corner: at(2, 2), middle: at(50, 40) };
  })()`;

  it('of a transparent picture with odd sides is transparent in a browser, and has the same colour', async () => {
    await run(jobs.folder, 'convert', [
      '-size',
      '101x81',
      'xc:none',
      '-fill',
      '#3b82f6',
      '-draw',
      'rectangle 20,20 80,60',
      'png:cut-out.png',
    ]);
    const source = { ...AN_IMAGE, width: 101, height: 81, fileExtension: 'png' };
    const file = await jobs.make('avif', { source }, { source: path.join(jobs.folder, 'cut-out.png') });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const near = (...values: number[]) => values.map((value) => expect.closeTo(value, -1));
      const url = `data:image/avif;base64,${readFileSync(file, 'base64')}`;
      expect(await page.evaluate(READ(url))).toEqual({ size: [101, 81], corner: near(0, 0, 0, 0), middle: near(59, 130, 246, 255) });
    } finally {
      await browser.close();
    }
  });
});

describe('the blueprints of documents', () => {
  const source = { ...A_DOCUMENT, fileExtension: 'txt' };

  it('make a PDF and the picture of a page', async () => {
    const document = path.join(jobs.folder, 'document.txt');
    writeFileSync(document, 'Harbour at dawn');
    const pdf = await jobs.make('document-pdf', { source }, { source: document });
    expect(readFileSync(pdf).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await run(jobs.folder, 'pdftotext', [pdf, '-'])).toContain('Harbour at dawn');
    const page = await jobs.make(
      'document-page',
      { source: { ...source, fileExtension: 'pdf' }, parameters: { width: 500 } },
      { source: pdf },
    );
    expect((await readPixels(page)).width).toBe(500);
  });
});
