// Draws the fixed preview images, one for each kind of file that is recognised by its extension and one for all others:
// `node scripts/draw-preview-images.mjs`. They are committed; Debian's Chromium is needed only to change them.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const folder = fileURLToPath(new URL('../src/modules/delivery/pages/preview/images/', import.meta.url));
const [WIDTH, HEIGHT] = [640, 360];

/** Colour and icon of each kind of file; the icon is drawn on a square of 48 by 48. */
const kinds = {
  video: { colour: '#0e6377', sign: '<path d="M15 9v30l25-15z"/>' },
  audio: { colour: '#5a4a9c', sign: '<path d="M8 20v8M16 12v24M24 6v36M32 14v20M40 20v8" class="line"/>' },
  image: { colour: '#1d6b3c', sign: '<circle cx="34" cy="14" r="5"/><path d="M4 40 18 18l10 14 6-7 10 15z"/>' },
  text: { colour: '#2f5d9b', sign: '<path d="M8 10h32M8 19h32M8 28h32M8 37h20" class="line"/>' },
  table: { colour: '#2e7247', sign: '<path d="M6 9h36v30H6zM6 19h36M6 29h36M18 9v30M30 9v30" class="line"/>' },
  slides: { colour: '#a8521c', sign: '<path d="M6 8h36v24H6zM24 32v8M15 42l9-6 9 6M14 25l7-8 6 5 8-8" class="line"/>' },
  pdf: { colour: '#a3231c', sign: '<path d="M8 10h32M8 19h32M8 28h32M8 37h20" class="line"/>' },
  archive: { colour: '#7a5b12', sign: '<path d="M6 8h36v10H6zM9 18h30v22H9zM19 26h10" class="line"/>' },
  other: { colour: '#536168', sign: '<circle cx="10" cy="24" r="5"/><circle cx="24" cy="24" r="5"/><circle cx="38" cy="24" r="5"/>' },
};

const extensions = {
  video: 'mp4 m4v mov mkv webm avi mpg mpeg mxf wmv',
  audio: 'mp3 wav aac m4a flac ogg opus aif aiff wma',
  image: 'jpg jpeg png gif webp avif tif tiff bmp svg heic psd eps ai raw dng',
  text: 'doc docx odt rtf txt md',
  table: 'xls xlsx ods csv',
  slides: 'ppt pptx odp key',
  pdf: 'pdf',
  archive: 'zip rar 7z tar gz',
};

const drawing = ({ colour, sign }, label) => `<!doctype html><style>
  * { margin: 0 }
  body { width: ${WIDTH}px; height: ${HEIGHT}px; background: ${colour} }
  svg { display: block }
  .sign { fill: ${colour} }
  .line { fill: none; stroke: ${colour}; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round }
  text { font: 600 30px 'DejaVu Sans', sans-serif; fill: ${colour}; text-anchor: middle; letter-spacing: 1px }
</style><svg width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
  <g transform="translate(230 60)">
    <path d="M14 0H130l50 50V226a14 14 0 0 1-14 14H14A14 14 0 0 1 0 226V14A14 14 0 0 1 14 0z" fill="#fff"/>
    <path d="M130 0v36a14 14 0 0 0 14 14h36z" fill="#000" fill-opacity=".22"/>
    <g class="sign" transform="translate(${label ? '54 70' : '42 78'}) scale(${label ? 1.5 : 2})">${sign}</g>
    <text x="90" y="206">${label}</text>
  </g>
</svg>`;

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
const draw = async (name, kind, label) => {
  await page.setContent(drawing(kinds[kind], label));
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
};
for (const [kind, names] of Object.entries(extensions)) {
  for (const name of names.split(' ')) await draw(name, kind, name.toUpperCase());
}
await draw('default', 'other', '');
await browser.close();
