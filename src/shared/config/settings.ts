import { checkSigningKeys } from './check-signing-keys.js';
import { RATE_LIMIT_EXAMPLE } from './rate-limits.js';
import {
  checkAbsolutePath,
  checkAbsoluteUri,
  checkAppSecret,
  checkBucket,
  checkHost,
  checkMailFrom,
  checkOrigin,
  checkPostgresUrl,
  checkProxies,
  checkRoleArn,
  checkSmtpUrl,
  flag,
  headerPrefixes,
  integer,
  list,
  oneOf,
  optionalInteger,
  optionalUrl,
  type Setting,
  schedule,
  text,
} from './setting.js';

/**
 * Every environment variable that the service reads, in the order of docs/configuration.md and .env.example. The name of the variable is
 * the key in capitals (`publicUrl` → `PUBLIC_URL`).
 */
export const settings = {
  nodeEnv: oneOf(['development', 'production', 'test'], 'development', 'production refuses the embedded parts and every default secret'),
  port: integer({ fallback: 3000, min: 0, max: 65_535 }, 'TCP port of the service; 0 lets the system choose'),
  host: text('127.0.0.1', 'address to listen on'),
  publicUrl: optionalUrl('the URL under which users reach the service; issuer of every token (default http://localhost:PORT)'),
  cdnUrl: optionalUrl('where viewers get the fixed preview images from, in its folder fixedPreviewImages (default: PUBLIC_URL)'),
  dataDir: text('.data', 'folder of the embedded parts: database, generated secrets, demo login'),
  databaseUrl: text('', 'PostgreSQL 15 or later; empty: the embedded server', { secret: true, check: checkPostgresUrl }),
  webConcurrency: { ...integer({ fallback: 1, min: 1, max: 256 }, 'processes that answer requests; auto = one per core'), auto: true },
  worker: oneOf(['inline', 'off'], 'inline', 'inline runs background jobs inside the web processes; off leaves them to other machines'),
  trustProxy: text('', 'addresses or networks (comma-separated, loopback, uniquelocal) of reverse proxies whose X-Forwarded-For counts', {
    check: checkProxies,
  }),
  headerPrefixes: headerPrefixes('x-service', 'further prefixes of our request headers (x-service-device …), comma-separated'),
  corsOrigins: list([], 'origins that may call the API besides those of the registered redirect URIs, comma-separated', {
    check: checkOrigin,
  }),
  resources: list([], 'further audiences (absolute URIs) that clients may ask tokens for, comma-separated', { check: checkAbsoluteUri }),
  serviceName: text('Media Delivery Platform', 'name shown on pages'),
  converterIsolation: oneOf(
    ['auto', 'required', 'none'],
    'auto',
    'required: programs of the converter run in a sandbox or not at all; none: without one; auto: required in production, elsewhere if there is one',
  ),
  converterReads: list([], 'files and folders that programs of the converter read besides those of the system, absolute, comma-separated', {
    check: checkAbsolutePath,
  }),
  logLevel: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info', 'least severity that is logged'),
  metricsToken: text('', 'bearer token that lets other hosts than loopback read /metrics and the details of /health/ready', {
    secret: true,
  }),
  appSecret: text('', 'at least 32 characters; encrypts keys at rest (default: made once in DATA_DIR)', {
    secret: true,
    check: checkAppSecret,
  }),
  appSecretPrevious: list(
    [],
    'secrets that were or will be APP_SECRET, comma-separated (a comma inside one is %2C): what they encrypted can be read, nothing is written',
    {
      secret: true,
      check: checkAppSecret,
    },
  ),
  signingKeys: text('', 'JSON Web Key Set with EC P-256 private keys, the first one signs (default: kept in the database)', {
    secret: true,
    check: checkSigningKeys,
  }),
  cookieKeys: list([], 'keys that sign cookies, the newest first (default: kept in the database)', { secret: true }),
  requirePkce: flag(false, 'true: every authorization request needs a code_challenge'),
  requireRedirectUri: flag(false, 'true: authorize and token requests need a redirect_uri'),
  rateLimit: text(
    'on',
    `on, off, or on with limits of your own: ${RATE_LIMIT_EXAMPLE} (requests/seconds; refused: items that dropsites refuse)`,
  ),
  codeTtlSeconds: integer({ fallback: 60, min: 5, max: 600 }, 'lifetime of an authorization code'),
  accessTokenTtlSeconds: integer({ fallback: 900, min: 5, max: 86_400 }, 'lifetime of an access token'),
  refreshTtlSeconds: integer(
    { fallback: 2_592_000, min: 10, max: 31_536_000 },
    'lifetime of an unused refresh token; the chain ends after 1 year',
  ),
  refreshGraceSeconds: integer({ fallback: 5, min: 0, max: 60 }, 'time in which a rotated refresh token still answers with its successor'),
  sessionTtlSeconds: integer({ fallback: 1_209_600, min: 60, max: 31_536_000 }, 'lifetime of a login session with "keep me signed in"'),
  dropsiteCodeTtlSeconds: integer({ fallback: 600, min: 5, max: 86_400 }, 'lifetime of the code that a dropsite link hands out'),
  dropsiteSessionTtlSeconds: integer({ fallback: 43_200, min: 60, max: 604_800 }, 'lifetime of the session of a dropsite sender'),
  signatureMaxAgeSeconds: integer({ fallback: 10, min: 1, max: 300 }, 'how far the time of a signed request may be off, either way'),
  s3Bucket: text('', 'bucket of the uploads; empty: the local object storage of DATA_DIR', { check: checkBucket }),
  s3Endpoint: optionalUrl('URL of an S3 that is not AWS, as clients reach it (default: AWS)'),
  s3TransferAcceleration: flag(false, 'true: clients use the accelerate endpoint of the bucket (AWS only)'),
  stsEndpoint: optionalUrl('URL of the security token service (default: the S3_ENDPOINT, else AWS)'),
  stsRoleArn: text(
    '',
    'role that is assumed for the temporary credentials of an upload; the service signs with the AWS default credentials',
    {
      check: checkRoleArn,
    },
  ),
  awsRegion: text('us-east-1', 'region of bucket and security token service'),
  storagePort: optionalInteger(
    { min: 0, max: 65_535 },
    'TCP port of the local object storage (default: PORT + 1); 0 lets the system choose',
  ),
  uploadReapAfterSeconds: integer(
    { fallback: 86_400, min: 60, max: 31_536_000 },
    'an upload that is not completed is deleted this long after its last activity',
  ),
  retryScheduleSeconds: schedule(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
    'how long a subscription waits after each failed try, comma-separated; one try more than there are numbers',
  ),
  logRetentionDays: integer({ fallback: 30, min: 1, max: 3_650 }, 'how long the log of subscriptions and what can be sent again is kept'),
  egressAllowlist: list(
    [],
    'host names and addresses that https instructions reach although they are private or plain http, comma-separated',
    {
      check: checkHost,
    },
  ),
  smtpUrl: text('', 'mail server, such as smtps://user:password@mail.example.org; empty: the mailbox at /dev/mail, in production no mail', {
    secret: true,
    check: checkSmtpUrl,
  }),
  mailFrom: text('', 'sender of e-mails, such as "Media <media@example.org>" (default: SERVICE_NAME, noreply at the host of PUBLIC_URL)', {
    check: checkMailFrom,
  }),
  shutdownGraceSeconds: integer({ fallback: 10, min: 0, max: 300 }, 'time for requests under way to end when the service stops'),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** `publicUrl` → `PUBLIC_URL`. */
export const environmentName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
