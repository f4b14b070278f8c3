import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Config } from '../shared/config/index.js';
import { StartupError } from '../shared/errors.js';
import { bucketUrl, type CdnSigner, createCdnSigner, encodeKey, ObjectStorage } from '../shared/storage/index.js';
import type { Call, Work } from './command.js';

/** The lifetime of the tokens of this command; it only has to outlast the check. */
const LIFETIME_SECONDS = 300;
/** Long enough for the CDN to fetch the object first. */
const TIMEOUT_MS = 10_000;

/** One request to the CDN or the bucket. */
interface Expected {
  readonly check: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns what is wrong with the response, or null if it is as expected. */
  judge(answer: Response): Promise<string | null>;
}

/** `admin check cdn`: reads its own test object through the CDN, with and without tokens. Exit code 1 if any response is wrong. */
export async function checkCdn(call: Call): Promise<Work> {
  const signer = createCdnSigner(call.config);
  if (!signer) throw new StartupError('There is no CDN to check: set MEDIA_CDN_URL and MEDIA_CDN_SIGNER (docs/cdn.md).');
  return async (service) => {
    const { mediaCdnUrl: url } = service.get(Config);
    const storage = service.get(ObjectStorage);
    const key = `renditions/check/${randomUUID()}.jpg`;
    const content = randomBytes(64);
    try {
      const { version } = await write(storage, key, content);
      const expected = requests({ signer, address: `${url}/${encodeKey(key)}`, version, content });
      const direct = {
        check: 'the bucket refuses the address without a signature',
        url: `${bucketUrl(storage.location)}/${encodeKey(key)}`,
        judge: isRefused,
      };
      const checks = [];
      for (const one of [...expected, direct]) checks.push({ check: one.check, result: (await send(one)) ?? 'ok' });
      const wrong = checks.filter(({ result }) => result !== 'ok');
      if (wrong.length > 0) call.fail(['Not as it has to be:', ...wrong.map(({ check, result }) => `  - ${check}: ${result}`)].join('\n'));
      return { url, signer: call.config.mediaCdnSigner, checks };
    } finally {
      await storage.delete(key);
    }
  };
}

async function write(storage: ObjectStorage, key: string, content: Buffer): Promise<{ version: string | null }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'check-cdn-'));
  try {
    const file = path.join(folder, 'object');
    await writeFile(file, content);
    return await storage.write(key, { file, contentType: 'image/jpeg' });
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Sample {
  readonly signer: CdnSigner;
  readonly address: string;
  readonly version: string | null;
  readonly content: Buffer;
}

function requests({ signer, address, version, content }: Sample): readonly Expected[] {
  const at = (seconds: number) => signer.sign({ address, version, expires: Math.floor(Date.now() / 1_000) + seconds });
  const good = at(LIFETIME_SECONDS);
  const isContent = (part: Buffer, status: number) => async (answer: Response) => {
    const body = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== status) return `answered ${answer.status} instead of ${status}`;
    return body.equals(part) ? null : 'answered other bytes';
  };
  return [
    { check: 'a URL with a token is answered', url: good, judge: isContent(content, 200) },
    { check: 'ranges are answered', url: good, headers: { range: 'bytes=1-10' }, judge: isContent(content.subarray(1, 11), 206) },
    { check: 'the media type is the stored one', url: good, judge: headerIs('content-type', 'image/jpeg') },
    {
      check: 'scripts of all pages may read it',
      url: good,
      headers: { origin: 'https://page.example' },
      judge: headerIs('access-control-allow-origin', '*'),
    },
    { check: 'without a token it is refused', url: version === null ? address : `${address}?versionId=${version}`, judge: isRefused },
    { check: 'the token is not good for another path', url: good.replace('.jpg', '.jpeg'), judge: isRefused },
    { check: 'an expired token is refused', url: at(-LIFETIME_SECONDS), judge: isRefused },
  ];
}

const headerIs = (name: string, value: string) => async (answer: Response) => {
  const found = answer.headers.get(name);
  return found === value ? null : `${name} is ${found ?? 'missing'} instead of ${value}`;
};

/** 403, or 410, which nginx returns for an expired token. A 404 would mean that the token was accepted. */
const isRefused = async ({ status }: Response) => ([401, 403, 410].includes(status) ? null : `answered ${status} instead of 403`);

/** Sends one request; returns what is wrong with the response, or null. */
async function send({ url, headers, judge }: Expected): Promise<string | null> {
  try {
    const answer = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return await judge(answer);
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    return `did not answer (${cause?.message ?? message})`;
  }
}
