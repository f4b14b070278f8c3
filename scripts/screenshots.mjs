// Makes the pictures of README.md and docs/tour.md, into docs/images/: starts the service on an empty data folder, uploads the sample media as the
// tour does, and visits its pages with Debian's Chromium, on a desktop and on a phone, light and dark. `npm run screenshots -- FOLDER` writes elsewhere.
// Then it takes pictures of every page of the console, into screenshots/console/. `npm run screenshots -- --console` takes only those.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { takeConsole } from './console-screenshots.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const isConsoleOnly = words.includes('--console');
const target = path.resolve(words.find((word) => !word.startsWith('--')) ?? path.join(root, 'docs/images'));
const folder = mkdtempSync(path.join(tmpdir(), 'screenshots-'));
const env = { ...process.env, DATA_DIR: path.join(folder, 'data'), PORT: '0', STORAGE_PORT: '0', SERVICE_NAME: 'Media Delivery Platform' };

const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const QUALITY = 85; // WebP; text stays sharp
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'; // of RFC 7636 appendix B
/** Until the service has read the subtitles of the film. */
const MAX_WAIT_MS = 60_000;

/** Starts the service; resolves with what its banner says: addresses and demo login, by name. */
async function start() {
  const service = spawn(process.execPath, ['scripts/run.mjs', 'main.js'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  service.stdout.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk;
  });
  while (!printed.includes('Ctrl-C stops everything'))
    await Promise.race([once(service.stdout, 'data'), once(service, 'close').then(refuse)]);
  const named = Object.fromEntries([...printed.matchAll(/^ *([A-Z][\w -]+): (\S+)$/gm)].map(([, name, value]) => [name, value]));
  return { service, named };
}

function refuse() {
  throw new Error('The service did not start.');
}

/** Runs a command of the tour; returns what it prints. */
function run(command, more) {
  const { status, stdout } = spawnSync('bash', ['-c', `set -e -o pipefail; ${command}`], {
    cwd: root,
    env: { ...env, ...more },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`The command failed: ${command}`);
  return stdout.trim();
}

/** Takes a picture of a page; `prepare` brings it into the state to be shown. */
async function take(browser, { name, url, viewport = DESKTOP, dark = false, prepare }) {
  const context = await browser.newContext({
    viewport,
    colorScheme: dark ? 'dark' : 'light',
    deviceScaleFactor: viewport === PHONE ? 2 : 1.5,
  });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await prepare?.(page);
    await page.waitForLoadState('networkidle');
    await sharp(await page.screenshot())
      .webp({ quality: QUALITY })
      .toFile(path.join(target, `${name}.webp`));
  } finally {
    await context.close();
  }
}

/** Waits until all pictures of a page are there. */
const pictures = async (page) =>
  await page.waitForFunction(() => [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0));

/** A film that was paused in its middle, with subtitles. */
async function watch(page) {
  await page.waitForFunction(() => document.querySelector('#media')?.readyState >= 1);
  await page.evaluate(() => {
    const media = document.querySelector('#media');
    for (const track of media.textTracks) if (track.kind === 'subtitles') track.mode = 'showing';
    return media.play();
  });
  await page.waitForFunction(() => document.querySelector('#media').currentTime > 0.2);
  await page.evaluate(() => {
    const media = document.querySelector('#media');
    media.pause();
    media.currentTime = 5.6;
  });
  await page.waitForFunction(() => !document.querySelector('#media').seeking);
  await page.mouse.move(300, 300);
}

/** Signs in with the demo login; resolves when the page behind it shows `selector`. */
async function signIn(page, { 'E-mail': email, Password: password }, selector) {
  await page.waitForSelector('input[name=email]');
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.press('input[name=password]', 'Enter');
  await page.waitForSelector(selector);
}

async function takeAll(browser, named) {
  const { Service: service, Dropsite: dropsite } = named;
  const TOKEN = JSON.parse(run(`npm run -s admin -- token --user ${named['E-mail']}`, serving(service))).access_token;
  const tour = { ...serving(service), TOKEN };
  const ids = run('node sdk/examples/upload.mjs samples/photo.jpg samples/film.mp4', tour);
  await hasSubtitles(service, { id: ids.split(' ')[1], token: TOKEN });
  const [photo, film] = run(`node sdk/examples/show.mjs ${ids}`, tour).match(/http\S+/g);
  const download = run(`node sdk/examples/hand-over.mjs ${ids}`, tour);
  const query = new URLSearchParams({
    ...{
      client_id: 'demo',
      response_type: 'code',
      redirect_uri: 'http://localhost:8080/callback',
      scope: 'openid email api offline_access',
    },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  });
  const consent = `${service}/v4/authorize?${query}`;
  const allowing = async (page) => await signIn(page, named, 'button:has-text("Allow")');
  const library = async (page) => {
    await signIn(page, named, '.tile-picture img');
    await pictures(page);
  };
  const shots = [
    { name: 'player', url: film, prepare: watch },
    { name: 'player-phone', url: film, viewport: PHONE, prepare: watch },
    { name: 'photo-dark', url: photo, dark: true, prepare: pictures },
    { name: 'download', url: download, prepare: pictures },
    { name: 'download-phone', url: download, viewport: PHONE, prepare: pictures },
    { name: 'dropsite', url: dropsite },
    { name: 'dropsite-phone-dark', url: dropsite, viewport: PHONE, dark: true },
    { name: 'console', url: `${service}/console`, prepare: library },
    { name: 'console-phone-dark', url: `${service}/console`, viewport: PHONE, dark: true, prepare: library },
    { name: 'consent', url: consent, prepare: allowing },
    { name: 'consent-phone-dark', url: consent, viewport: PHONE, dark: true, prepare: allowing },
  ];
  mkdirSync(target, { recursive: true });
  if (!isConsoleOnly) for (const shot of shots) await take(browser, shot);
  const person = async (page) => await signIn(page, named, 'main h1');
  await takeConsole(browser, { service, medium: ids.split(' ')[1], signIn: person, target: path.join(root, 'screenshots/console') });
}

/** What commands need to reach the service. */
const serving = (service) => ({ SERVICE: service, PORT: new URL(service).port });

/** Resolves when the subtitles inside the film have become a track of its container. */
async function hasSubtitles(service, { id, token }) {
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const answer = await fetch(`${service}/v5/mediacontainer/${id}`, { headers: { authorization: `Bearer ${token}` } });
    if ((await answer.json()).media.some(({ role }) => role === 'subtitles')) return;
  }
  throw new Error('The subtitles of the film were not found: are ffmpeg and ffprobe installed?');
}

const { service, named } = await start();
try {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  try {
    await takeAll(browser, named);
  } finally {
    await browser.close();
  }
} finally {
  service.kill('SIGINT');
  await once(service, 'close');
  rmSync(folder, { recursive: true, force: true });
}
