import { availableParallelism } from 'node:os';
import { StartupError } from '../errors.js';
import { parseRateLimits, type RateLimits } from './rate-limits.js';
import type { Setting } from './setting.js';
import { environmentName, type SettingName, settings } from './settings.js';

type Values = { -readonly [Name in SettingName]: (typeof settings)[Name] extends Setting<infer T> ? T : never };

/** The configuration of this process: one property per environment variable (see settings.ts), complete and validated. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token, the interface its properties; loadConfig makes it.
export abstract class Config {}
export interface Config extends Readonly<Values> {
  /** `rateLimit`, parsed; null if rate limits are off. */
  readonly rateLimits: RateLimits | null;
  readonly storagePort: number;
  /** The key with which the service signs its own calls to storage and STS; null: the default credentials of the AWS SDK. */
  readonly storageKey: StorageKey | null;
}

/** A long-lived access key of an object storage. */
export interface StorageKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The problems of an environment, one per variable: the first counts, because a later one may follow from it, such as "required" from a value that
 * was refused and is therefore absent.
 */
class Problems {
  private readonly byVariable = new Map<string, string>();

  add(variable: string, message: string): void {
    if (!this.byVariable.has(variable)) this.byVariable.set(variable, message);
  }

  get lines(): string[] {
    return Array.from(this.byVariable, ([variable, message]) => `${variable} ${message}`);
  }
}

/**
 * Reads the configuration from environment variables.
 * @throws StartupError with every variable that is wrong or missing, one per line.
 */
export function loadConfig(environment: Environment = process.env): Config {
  const problems = new Problems();
  const values = readSettings(environment, problems);
  if (values.publicUrl) checkPublicUrl(values.publicUrl, problems);
  values.publicUrl = values.publicUrl ? new URL(values.publicUrl).origin : `http://localhost:${values.port}`;
  if (values.cdnUrl && !/^https?:/.test(values.cdnUrl)) problems.add('CDN_URL', 'must begin with http:// or https://');
  values.cdnUrl = (values.cdnUrl || values.publicUrl).replace(/(?<!\/)\/+$/, '');
  values.appSecretPrevious = values.appSecretPrevious.map((secret) => secret.replaceAll('%2C', ','));
  values.mailFrom ||= `${values.serviceName.replace(/[<>"\r\n]/g, '')} <noreply@${new URL(values.publicUrl).hostname}>`;
  const rateLimits = attempt('RATE_LIMIT', () => parseRateLimits(values.rateLimit), problems) ?? null;
  if ((values.s3Bucket || values.nodeEnv === 'production') && !values.stsRoleArn) {
    problems.add('STS_ROLE_ARN', 'is required with S3_BUCKET: uploads use temporary credentials of that role');
  }
  if (values.metricsPort && values.metricsPort === values.port) problems.add('METRICS_PORT', 'must differ from PORT');
  values.mediaCdnUrl = values.mediaCdnUrl.replace(/(?<!\/)\/+$/, '');
  checkMediaCdn(values, environment, problems);
  // If the system chooses the port, the next port may not be free.
  const storagePort = values.storagePort ?? (values.port === 0 || values.port === 65_535 ? 0 : values.port + 1);
  if (values.nodeEnv === 'production') checkProduction(values, environment, problems);
  const { lines } = problems;
  if (lines.length > 0) throw new StartupError(['The configuration has problems:', ...lines.map((line) => `  - ${line}`)].join('\n'));
  return { ...values, rateLimits, storagePort, storageKey: null };
}

function readSettings(environment: Environment, problems: Problems): Values {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const variable = environmentName(name);
    const given = environment[variable];
    if (given === undefined || given === '') values[name] = setting.fallback;
    else if (setting.auto && given === 'auto') values[name] = availableParallelism();
    else values[name] = attempt(variable, () => setting.parse(given), problems) ?? setting.fallback;
  }
  return values as Values;
}

function attempt<T>(variable: string, parse: () => T, problems: Problems): T | undefined {
  try {
    return parse();
  } catch (error) {
    problems.add(variable, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function checkPublicUrl(publicUrl: string, problems: Problems): void {
  const url = new URL(publicUrl);
  if (!['http:', 'https:'].includes(url.protocol)) problems.add('PUBLIC_URL', 'must begin with http:// or https://');
  // The contract's paths begin at the root; a path prefix would have to be known to every page and cookie.
  if (url.pathname !== '/' || url.search || url.hash) problems.add('PUBLIC_URL', 'must have no path, query or fragment');
}

/** An incomplete CDN configuration would deliver nothing, or deliver without tokens. */
function checkMediaCdn({ mediaCdnSigner: signer }: Values, environment: Environment, problems: Problems): void {
  const isGiven = (name: SettingName) => Boolean(environment[environmentName(name)]);
  if (!isGiven('mediaCdnUrl')) {
    const useless = (['mediaCdnSigner', 'mediaCdnSecret', 'mediaCdnKeyId', 'mediaCdnPrivateKey'] as const).find(isGiven);
    if (useless)
      problems.add('MEDIA_CDN_URL', `is required with ${environmentName(useless)}: set the address at which viewers reach the CDN`);
    return;
  }
  if (!isGiven('mediaCdnSigner')) problems.add('MEDIA_CDN_SIGNER', 'is required with MEDIA_CDN_URL: nginx, bunny or cloudfront');
  const needed = { nginx: NEEDED_WITH_SECRET, bunny: NEEDED_WITH_SECRET, cloudfront: NEEDED_BY_CLOUDFRONT };
  for (const [name, what] of Object.entries(signer ? needed[signer] : {})) {
    if (!isGiven(name as SettingName))
      problems.add(environmentName(name as SettingName), `is required with MEDIA_CDN_SIGNER=${signer}: ${what}`);
  }
}

const NEEDED_WITH_SECRET = { mediaCdnSecret: 'set the secret with which the CDN checks the tokens' };
const NEEDED_BY_CLOUDFRONT = {
  mediaCdnKeyId: 'set the id of the public key in the key group',
  mediaCdnPrivateKey: 'set the private key that belongs to it, in PEM',
};

/** A shorter secret could be found by brute force from the token of any URL. */
const MIN_CDN_SECRET_LENGTH = 16;

function checkProduction(values: Values, environment: Environment, problems: Problems): void {
  if (!values.databaseUrl) problems.add('DATABASE_URL', 'is required in production: the embedded PostgreSQL is for one machine');
  if (!values.appSecret) problems.add('APP_SECRET', 'is required in production: a generated one would differ between machines');
  if (!values.s3Bucket) problems.add('S3_BUCKET', 'is required in production: the local object storage is for development and tests');
  if (!environment.PUBLIC_URL) problems.add('PUBLIC_URL', 'is required in production: it is the issuer of every token');
  else if (!values.publicUrl.startsWith('https:')) problems.add('PUBLIC_URL', 'must begin with https:// in production');
  if (values.mediaCdnUrl && !values.mediaCdnUrl.startsWith('https://'))
    problems.add('MEDIA_CDN_URL', 'must begin with https:// in production');
  for (const name of ['mediaCdnSecret', 'mediaCdnOriginSecret'] as const) {
    if (values[name] === '' || values[name].length >= MIN_CDN_SECRET_LENGTH) continue;
    problems.add(environmentName(name), `must have at least ${MIN_CDN_SECRET_LENGTH} characters in production: openssl rand -hex 32`);
  }
}
