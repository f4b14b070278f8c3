import { RATE_LIMIT_EXAMPLE } from './rate-limits.js';
import {
  checkAbsolutePath,
  checkAbsoluteUri,
  checkAppSecret,
  checkBaseUrl,
  checkBucket,
  checkHeaderValue,
  checkHost,
  checkMailFrom,
  checkOrigin,
  checkPostgresUrl,
  checkProxies,
  checkRoleArn,
  checkSigningKeys,
  checkSmtpUrl,
  flag,
  headerPrefixes,
  integer,
  list,
  oneOf,
  optionalInteger,
  optionalUrl,
  rsaPrivateKey,
  type Setting,
  schedule,
  share,
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
  publicUrl: optionalUrl('URL at which users reach the service; issuer of every token (default http://localhost:PORT)'),
  cdnUrl: optionalUrl('address from which viewers load the fixed preview images, in its folder fixedPreviewImages (default: PUBLIC_URL)'),
  console: oneOf(['on', 'off'], 'on', 'off removes the console, the web application at /console'),
  dataDir: text('.data', 'folder of the embedded parts: database, generated secrets, demo login'),
  databaseUrl: text('', 'PostgreSQL 15 or later; empty: the embedded server', { secret: true, check: checkPostgresUrl }),
  webConcurrency: { ...integer({ fallback: 1, min: 1, max: 256 }, 'processes that answer requests; auto = one per core'), auto: true },
  worker: oneOf(['inline', 'off'], 'inline', 'inline runs background jobs inside the web processes; off leaves them to other machines'),
  trustProxy: text(
    '',
    'addresses or networks (comma-separated, loopback, uniquelocal) of reverse proxies whose X-Forwarded-For is trusted',
    {
      check: checkProxies,
    },
  ),
  headerPrefixes: headerPrefixes('x-service', 'further prefixes of our request headers (x-service-device …), comma-separated'),
  corsOrigins: list(
    [],
    'origins (https://app.example.org, capacitor://localhost) that may call the API besides those of the registered redirect URIs, comma-separated',
    {
      check: checkOrigin,
    },
  ),
  resources: list([], 'further audiences (absolute URIs) for which clients may request tokens, comma-separated', {
    check: checkAbsoluteUri,
  }),
  serviceName: text('Media Delivery Platform', 'name shown on pages'),
  converterIsolation: oneOf(
    ['auto', 'required', 'none'],
    'auto',
    'required: programs of the converter run only in a sandbox; none: without a sandbox; auto: required in production, elsewhere if one is available',
  ),
  converterReads: list(
    [],
    'files and folders that programs of the converter may read besides those of the system; absolute paths, comma-separated',
    {
      check: checkAbsolutePath,
    },
  ),
  logLevel: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info', 'least severity that is logged'),
  logFormat: oneOf(['auto', 'text', 'json'], 'auto', 'text: log lines for people; json: one object per line; auto: text on a terminal'),
  otelExporterOtlpEndpoint: optionalUrl(
    'OpenTelemetry collector that traces are sent to by OTLP over HTTP, such as http://localhost:4318; empty: nothing is traced',
  ),
  otelTracesSamplerArg: share(
    0.01,
    'with a collector: share of the requests that are traced, except requests of the API that may change something, which are always traced',
  ),
  metricsToken: text('', 'bearer token with which hosts other than loopback can read /metrics and the details of /health/ready', {
    secret: true,
  }),
  metricsPort: optionalInteger(
    { min: 0, max: 65_535 },
    'additional TCP port at HOST on which npm start and npm run worker serve /metrics; a service and a worker on one machine need different ports; 0 lets the system choose',
  ),
  appSecret: text('', 'at least 32 characters; encrypts stored keys (default: generated once in DATA_DIR)', {
    secret: true,
    check: checkAppSecret,
  }),
  appSecretPrevious: list(
    [],
    'earlier or future values of APP_SECRET, comma-separated (write %2C for a comma inside one): used for decryption and verification only',
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
  passwordMinLength: integer(
    { fallback: 15, min: 8, max: 64 },
    'characters that a new password needs at least; passwords that people have already stay good',
  ),
  requirePkce: flag(false, 'true: every authorization request needs a code_challenge'),
  requireRedirectUri: flag(false, 'true: authorize and token requests need a redirect_uri'),
  rateLimit: text(
    'on',
    `on, off, or on with limits of your own: ${RATE_LIMIT_EXAMPLE} (requests/seconds; items and refused: files that dropsites accept from senders without an account, and that they refuse)`,
  ),
  codeTtlSeconds: integer({ fallback: 60, min: 5, max: 600 }, 'lifetime of an authorization code'),
  accessTokenTtlSeconds: integer({ fallback: 900, min: 5, max: 86_400 }, 'lifetime of an access token'),
  refreshTtlSeconds: integer(
    { fallback: 2_592_000, min: 10, max: 31_536_000 },
    'lifetime of an unused refresh token; the chain ends after 1 year',
  ),
  refreshGraceSeconds: integer({ fallback: 5, min: 0, max: 60 }, 'time in which a rotated refresh token still returns its successor'),
  sessionTtlSeconds: integer({ fallback: 1_209_600, min: 60, max: 31_536_000 }, 'lifetime of a login session with "keep me signed in"'),
  dropsiteCodeTtlSeconds: integer({ fallback: 600, min: 5, max: 86_400 }, 'lifetime of the code that a dropsite link returns'),
  dropsiteSessionTtlSeconds: integer({ fallback: 43_200, min: 60, max: 604_800 }, 'lifetime of the session of a dropsite sender'),
  signatureMaxAgeSeconds: integer(
    { fallback: 10, min: 1, max: 300 },
    'maximum difference between the time of a signed request and that of the service',
  ),
  samlClockSkewSeconds: integer(
    { fallback: 60, min: 0, max: 600 },
    'maximum difference between the clocks of a SAML identity provider and of the service',
  ),
  s3Bucket: text('', 'bucket of the uploads; empty: the local object storage of DATA_DIR', { check: checkBucket }),
  s3Endpoint: optionalUrl('URL of an S3 that is not AWS, as clients reach it (default: AWS)'),
  s3TransferAcceleration: flag(false, 'true: clients use the accelerate endpoint of the bucket (AWS only)'),
  stsEndpoint: optionalUrl('URL of the security token service (default: the S3_ENDPOINT, else AWS)'),
  stsRoleArn: text('', 'role that the service assumes for the temporary credentials of an upload, with the AWS default credentials', {
    check: checkRoleArn,
  }),
  awsRegion: text('us-east-1', 'region of bucket and security token service'),
  mediaCdnUrl: text(
    '',
    'address of a CDN in front of the bucket: media are redirected to MEDIA_CDN_URL/KEY (default: signed URLs of the storage)',
    {
      check: checkBaseUrl,
    },
  ),
  mediaCdnSigner: oneOf<'nginx' | 'bunny' | 'cloudfront' | null>(
    ['nginx', 'bunny', 'cloudfront'],
    null,
    'what checks the tokens of the URLs: nginx with secure_link, Bunny with token authentication, or CloudFront with a key group',
  ),
  mediaCdnSecret: text('', 'secret of the tokens (nginx, bunny)', { secret: true, check: checkHeaderValue }),
  mediaCdnKeyId: text('', 'id of the public key at CloudFront, such as K2JCJMDEHXQW5F (cloudfront)'),
  mediaCdnPrivateKey: rsaPrivateKey('private RSA key of that public key in PEM; line ends may be written as \\n (cloudfront)'),
  mediaCdnOriginSecret: text('', 'Referer with which a CDN may read objects from the local object storage without a signature', {
    secret: true,
    check: checkHeaderValue,
  }),
  mediaUrlTtlSeconds: integer(
    { fallback: 3_600, min: 5, max: 604_800 },
    'maximum lifetime of a URL of the CDN; a URL is valid for at least four fifths of this time, so that browsers can cache it',
  ),
  storagePort: optionalInteger(
    { min: 0, max: 65_535 },
    'TCP port of the local object storage (default: PORT + 1); 0 lets the system choose',
  ),
  uploadReapAfterSeconds: integer(
    { fallback: 86_400, min: 60, max: 31_536_000 },
    'time after its last activity at which an incomplete upload is deleted',
  ),
  retryScheduleSeconds: schedule(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
    'delays of a subscription after each failed attempt, comma-separated; it makes one attempt more than there are numbers',
  ),
  logRetentionDays: integer(
    { fallback: 30, min: 1, max: 3_650 },
    'retention of the log of subscriptions, and of events and instructions that can be sent again',
  ),
  egressAllowlist: list(
    [],
    'host names and addresses that https instructions may reach although they are private or use plain http, comma-separated',
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
  shutdownGraceSeconds: integer({ fallback: 10, min: 0, max: 300 }, 'time for current requests to finish when the service stops'),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** `publicUrl` → `PUBLIC_URL`. */
export const environmentName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
