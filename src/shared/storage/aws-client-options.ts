import type { Config } from '../config/index.js';

/** A storage that hangs must not hold a request for longer than a client waits. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The first try and two more, with the SDK's jittered delays. */
const MAX_ATTEMPTS = 3;

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
