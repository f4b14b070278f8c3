import type { Config } from '../config/index.js';

/** A storage that hangs must not hold a request for longer than a client waits. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The first try and two more, with the SDK's jittered delays. */
const MAX_ATTEMPTS = 3;

/** What failed is told by who asked; the SDK would write to the console that it does not try a stream again. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What the clients of S3 and STS have in common. Without `storageKey` the AWS SDK looks for credentials in its own places. */
export function awsClientOptions({ awsRegion, storageKey }: Config, endpoint: string) {
  return {
    region: awsRegion,
    maxAttempts: MAX_ATTEMPTS,
    cacheMiddleware: true, // the list of what a command passes is made once, not for every call
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
    ...(endpoint && { endpoint }),
    ...(storageKey && { credentials: storageKey }),
  };
}

/** What the client of the bucket has besides; path-style addresses outside of AWS. */
export function s3ClientOptions(config: Config) {
  return {
    ...awsClientOptions(config, config.s3Endpoint),
    forcePathStyle: config.s3Endpoint !== '',
    requestChecksumCalculation: 'WHEN_REQUIRED', // the notation for checksums behind a stream is unknown to some storages
    logger: SILENT,
  } as const;
}
