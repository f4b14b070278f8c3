import type { Config } from '../config/index.js';

/** A request must not wait for the storage longer than its client waits. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The first attempt and two more, with the SDK's jittered delays. */
const MAX_ATTEMPTS = 3;

/** Callers log failures themselves; the SDK would write to the console that it does not repeat a stream. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Options of the clients of S3 and STS. Without `storageKey` the AWS SDK looks for credentials in its usual places. */
export function awsClientOptions({ awsRegion, storageKey }: Config, endpoint: string) {
  return {
    region: awsRegion,
    maxAttempts: MAX_ATTEMPTS,
    cacheMiddleware: true, // middleware is resolved once for a command, not for every call
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
    ...(endpoint && { endpoint }),
    ...(storageKey && { credentials: storageKey }),
  };
}

/** Options of the client of the bucket; path-style addresses outside AWS. */
export function s3ClientOptions(config: Config) {
  return {
    ...awsClientOptions(config, config.s3Endpoint),
    forcePathStyle: config.s3Endpoint !== '',
    requestChecksumCalculation: 'WHEN_REQUIRED', // some storages do not accept checksums that follow a stream
    logger: SILENT,
  } as const;
}
