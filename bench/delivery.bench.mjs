// How long does it take to decide a delivery with long lists of rules, and how fast is an embed link as JSON against a bare Express route?

import { fillLinks } from './support/links.mjs';
import { compare, measure } from './support/load.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { inContext } from './support/provision.mjs';

const RANGES = 10_000;
const REFERERS = 1_000;
const FORMATS = 100;
/** Decisions per second if each takes ten microseconds. */
const TARGET_RATE = 100_000;
const DECISION_MS = 2_000;

export async function run() {
  return [...(await decisions()), ...(await embedLinks())];
}

/** Measured in this process, because decisions wait for nothing. */
async function decisions() {
  const load = async (file) => await import(`${root}/dist/src/modules/delivery/decision/${file}.js`);
  const [{ compilePolicy, decideDelivery }, { parseAddress }] = await Promise.all(['decide-delivery', 'addresses'].map(load));
  const begun = performance.now();
  const policy = compilePolicy(longRules());
  const compiledIn = performance.now() - begun;
  const viewers = Array.from({ length: 1_000 }, (_, n) => aViewer(n, parseAddress));
  const rates = Object.entries({ 'let in': (n) => n % 2 === 0, refused: (n) => n % 2 === 1 }).map(([name, isOne]) => {
    const chosen = viewers.filter((_, n) => isOne(n));
    return {
      name,
      rate: decisionsPerSecond(() => chosen.filter((viewer) => decideDelivery(policy, viewer).allowed).length, chosen.length),
    };
  });
  return [
    {
      name: `${RANGES.toLocaleString('en')} ranges, ${REFERERS.toLocaleString('en')} referers, ${FORMATS} formats compiled`,
      note: `${Math.round(compiledIn)} ms`,
    },
    ...rates.map(({ name, rate }) => ({
      name: `a viewer ${name} by them: ${(1e6 / rate).toFixed(1)} µs`,
      rate,
      ratio: rate / TARGET_RATE,
      target: 1,
    })),
  ];
}

function decisionsPerSecond(decideAll, count) {
  for (let warm = 0; warm < 50; warm += 1) decideAll();
  const begun = performance.now();
  let rounds = 0;
  for (; performance.now() - begun < DECISION_MS; rounds += 1) decideAll();
  return (rounds * count * 1_000) / (performance.now() - begun);
}

function longRules() {
  const v4 = Array.from({ length: RANGES / 2 }, (_, n) => ({ cidr: `10.${n >> 8}.${n & 255}.0/${24 + (n % 8)}`, type: 'ipv4' }));
  const v6 = Array.from({ length: RANGES / 2 }, (_, n) => ({ cidr: `2001:db8:${n.toString(16)}::/${48 + (n % 16)}`, type: 'ipv6' }));
  return {
    securitySettings: {
      authOnly: true,
      oauth: { enabled: true, clientId: 'tv' },
      ipWhiteList: [...v4, ...v6],
      matchReferer: Array.from({ length: REFERERS }, (_, n) => `${n % 2 === 0 ? '*.' : ''}site-${n}.example.com`),
      url: { cname: 'video.example.com' },
    },
    settings: null,
    formats: Array.from({ length: FORMATS }, (_, n) => ({ formatId: n, downloadable: n % 2 === 0 })),
  };
}

/** Every second viewer is refused by the last rule, because it requests a format that may not be downloaded. */
function aViewer(n, parseAddress) {
  const address = n % 4 < 2 ? `10.${(n * 5) >> 8}.${(n * 5) & 255}.0` : `2001:db8:${(n * 5).toString(16)}::`;
  const site = (n * 2) % REFERERS;
  return {
    address: parseAddress(address),
    referer: `https://www.site-${site}.example.com/news/2030/01/some-article?from=newsletter`,
    host: 'video.example.com:443',
    userOfCustomer: false,
    tokenClientId: 'tv',
    sessionClientId: null,
    extAuthAccessKey: null,
    formatId: n % FORMATS,
    download: true,
  };
}

async function embedLinks() {
  const port = await freePort();
  const express = await startProgram(`${root}/bench/support/bare-express.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const service = await startService();
  try {
    const links = await inContext(service, fillLinks);
    const headers = { accept: 'application/json', referer: 'https://www.example.com/' };
    const all = (links, path) => links.map((link) => ({ method: 'GET', path: path(link), headers }));
    const rates = await compare({
      express: () => measure(`http://127.0.0.1:${port}/constant`),
      open: () => measure(service.url, { requests: all(links.open, (link) => `/v5/deliverEmbed/${link}`) }),
      ruled: () => measure(service.url, { requests: all(links.ruled, (link) => `/v5/deliverEmbed/${link}`) }),
      file: () => measure(service.url, { requests: all(links.ruled, (link) => `/v5/deliverFile/${link}`), expectRedirects: true }),
    });
    const row = (name, rate, target) => ({ name, rate, ratio: rate / rates.express, ...(target && { target }) });
    return [
      row('bare Express, constant answer', rates.express),
      row('deliverEmbed as JSON', rates.open, 0.4),
      row('deliverEmbed as JSON, by an allow-list and referers', rates.ruled, 0.4),
      row('deliverFile, a redirect to a signed URL', rates.file),
    ];
  } finally {
    await service.stop();
    await express.stop();
  }
}
