// Draws the sample media of the tour: samples/photo.jpg, whose pixels lie on their side and whose EXIF orientation turns them upright, and
// samples/film.mp4, ten seconds with sound and English subtitles. Both show a sunrise that this script invents, so they belong to the project.
// Needs ffmpeg. The results are committed: run `node scripts/make-samples.mjs` only after a change of the scene.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const [WIDTH, HEIGHT, RATE, SECONDS] = [1280, 720, 25, 10];
const SAMPLE_RATE = 48_000;
/** EXIF 2.3 section 4.6.4: the first row of pixels is the right side of the picture, so that viewers turn it clockwise. */
const TURN_CLOCKWISE = 6;

const SUBTITLES = [
  [0.5, 3.5, 'Good morning.'],
  [3.5, 6.5, 'The sun rises over the lake,'],
  [6.5, 9.5, 'and the film is yours to share.'],
];

const mix = (from, to, share) => from + (to - from) * share;
const ease = (share) => share * share * (3 - 2 * share);
const color = (from, to, share) => `rgb(${from.map((value, index) => Math.round(mix(value, to[index], share))).join(',')})`;

/** Numbers from 0 to 1 that are the same in every run. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** The outline of a range of mountains, closed at the shore. */
function mountains({ seed, base, height, peaks, shore }) {
  const next = random(seed);
  const phases = Array.from({ length: 4 }, () => next() * Math.PI * 2);
  const points = Array.from({ length: 81 }, (_, index) => {
    const x = index / 80;
    const waves = phases.map((phase, octave) => Math.abs(Math.sin(x * peaks * 1.7 ** octave + phase)) / 1.9 ** octave);
    return `${(x * WIDTH).toFixed(1)},${(base - height * (waves.reduce((sum, wave) => sum + wave, 0) / 2)).toFixed(1)}`;
  });
  return `M0,${shore} L${points.join(' L')} L${WIDTH},${shore} Z`;
}

const SHORE = 500;
const RANGES = [
  { seed: 7, base: 430, height: 190, peaks: 5, night: [52, 58, 96], day: [156, 170, 196] },
  { seed: 23, base: 470, height: 150, peaks: 7, night: [34, 42, 74], day: [100, 124, 152] },
  { seed: 41, base: 505, height: 110, peaks: 9, night: [18, 26, 48], day: [44, 78, 92] },
].map((range) => ({ ...range, outline: mountains({ ...range, shore: SHORE }) }));

/** The scene as SVG; `time` from 0 (before sunrise) to 1. */
function scene(time) {
  const light = ease(time);
  const sunY = mix(470, 190, light);
  const next = random(99);
  const stars = Array.from({ length: 60 }, () => {
    const [x, y, size] = [next() * WIDTH, next() * 300, 0.7 + next() * 1.1];
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${size.toFixed(2)}" fill="#fff" opacity="${(0.8 * Math.max(0, 1 - 2.2 * light)).toFixed(3)}"/>`;
  });
  const glints = Array.from({ length: 34 }, (_, index) => {
    const depth = index / 33;
    const y = SHORE + 8 + depth * (HEIGHT - SHORE - 16);
    const sway = Math.sin(time * 26 + index * 1.9) * (4 + depth * 26);
    const length = (18 + depth * 120) * (0.55 + 0.45 * Math.sin(time * 17 + index * 2.7));
    return `<rect x="${(820 + sway - length / 2).toFixed(1)}" y="${y.toFixed(1)}" width="${length.toFixed(1)}" height="${(1.5 + depth * 3).toFixed(1)}" rx="2" fill="#ffe9b8" opacity="${(0.15 + 0.5 * light).toFixed(3)}"/>`;
  });
  const birds = Array.from({ length: 5 }, (_, index) => {
    const [x, y] = [mix(-120, 900, time) - index * 46 + (index % 2) * 12, 150 + index * 17 + 9 * Math.sin(time * 9 + index)];
    const wing = 6 + 5 * Math.sin(time * 60 + index * 1.3);
    return `<path d="M${(x - 15).toFixed(1)},${(y - wing).toFixed(1)} Q${(x - 6).toFixed(1)},${(y - wing / 3).toFixed(1)} ${x.toFixed(1)},${y.toFixed(1)} Q${(x + 6).toFixed(1)},${(y - wing / 3).toFixed(1)} ${(x + 15).toFixed(1)},${(y - wing).toFixed(1)}" fill="none" stroke="#1a2440" stroke-width="2.4" stroke-linecap="round"/>`;
  });
  const hills = RANGES.map(({ outline, night, day }) => `<path d="${outline}" fill="${color(night, day, light)}"/>`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
  <defs>
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="${color([14, 20, 52], [96, 160, 216], light)}"/>
      <stop offset="0.6" stop-color="${color([70, 52, 104], [186, 212, 232], light)}"/>
      <stop offset="1" stop-color="${color([196, 104, 96], [255, 226, 176], light)}"/>
    </linearGradient>
    <linearGradient id="lake" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="${color([116, 76, 104], [208, 214, 206], light)}"/>
      <stop offset="1" stop-color="${color([14, 20, 46], [40, 96, 128], light)}"/>
    </linearGradient>
    <radialGradient id="glow">
      <stop offset="0" stop-color="#fff3d0" stop-opacity="0.95"/>
      <stop offset="0.2" stop-color="#ffd98c" stop-opacity="0.6"/>
      <stop offset="1" stop-color="#ff9d5c" stop-opacity="0"/>
    </radialGradient>
  </defs>
  <rect width="${WIDTH}" height="${SHORE}" fill="url(#sky)"/>
  ${stars.join('')}
  <circle cx="820" cy="${sunY.toFixed(1)}" r="300" fill="url(#glow)"/>
  <circle cx="820" cy="${sunY.toFixed(1)}" r="46" fill="#fff6dc"/>
  ${hills}
  ${birds.join('')}
  <rect y="${SHORE}" width="${WIDTH}" height="${HEIGHT - SHORE}" fill="url(#lake)"/>
  ${glints.join('')}
</svg>`;
}

/** Two slow chords with a soft attack, as 16-bit stereo samples. */
function sound() {
  const chords = [
    { from: 0, to: 5.5, tones: [130.81, 196, 261.63, 329.63] },
    { from: 4.5, to: SECONDS, tones: [174.61, 220, 261.63, 349.23] },
  ];
  const samples = new Int16Array(SECONDS * SAMPLE_RATE * 2);
  for (let index = 0; index < SECONDS * SAMPLE_RATE; index += 1) {
    const time = index / SAMPLE_RATE;
    let [left, right] = [0, 0];
    for (const { from, to, tones } of chords) {
      if (time < from || time >= to) continue;
      const loudness = Math.min(1, (time - from) / 1.5, (to - time) / 1.5);
      for (const [place, tone] of tones.entries()) {
        const wave = Math.sin(2 * Math.PI * tone * time) + 0.25 * Math.sin(4 * Math.PI * tone * time);
        const side = 0.5 + 0.3 * Math.sin(time * 0.8 + place * 1.7);
        left += wave * loudness * side;
        right += wave * loudness * (1 - side);
      }
    }
    samples[2 * index] = left * 4_500;
    samples[2 * index + 1] = right * 4_500;
  }
  return Buffer.from(samples.buffer);
}

const clock = (seconds) => `00:00:${seconds.toFixed(3).padStart(6, '0')}`;

async function makePhoto(file) {
  const upright = await sharp(Buffer.from(scene(0.62)), { density: 144 })
    .resize(1920, 1080)
    .removeAlpha()
    .png()
    .toBuffer();
  // The pixels are turned to the left, which the orientation takes back.
  await sharp(upright).rotate(-90).withMetadata({ orientation: TURN_CLOCKWISE }).jpeg({ quality: 82 }).toFile(file);
}

async function makeFilm(file, folder) {
  const [pcm, words] = [path.join(folder, 'sound.pcm'), path.join(folder, 'words.vtt')];
  writeFileSync(pcm, sound());
  writeFileSync(words, `WEBVTT\n\n${SUBTITLES.map(([from, to, text]) => `${clock(from)} --> ${clock(to)}\n${text}\n`).join('\n')}`);
  const inputs = [
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH}x${HEIGHT}`, '-r', String(RATE), '-i', 'pipe:0'],
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', pcm, '-i', words],
  ];
  const picture = ['-vf', 'scale=out_color_matrix=bt709,format=yuv420p', '-c:v', 'libx264', '-preset', 'veryslow', '-crf', '25'];
  const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-metadata:s:s:0', 'language=eng'];
  const others = ['-c:a', 'aac', '-b:a', '96k', '-c:s', 'mov_text', '-bitexact', '-movflags', '+faststart'];
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-y', ...inputs, ...picture, ...tags, ...others, file], { stdio: ['pipe', 2, 2] });
  const ended = once(ffmpeg, 'close');
  for (let frame = 0; frame < SECONDS * RATE; frame += 1) {
    const pixels = await sharp(Buffer.from(scene(frame / (SECONDS * RATE - 1))))
      .removeAlpha()
      .raw()
      .toBuffer();
    if (!ffmpeg.stdin.write(pixels)) await once(ffmpeg.stdin, 'drain');
  }
  ffmpeg.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}`);
}

const samples = fileURLToPath(new URL('../samples/', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'samples-'));
mkdirSync(samples, { recursive: true });
try {
  await makePhoto(path.join(samples, 'photo.jpg'));
  await makeFilm(path.join(samples, 'film.mp4'), folder);
} finally {
  rmSync(folder, { recursive: true });
}
