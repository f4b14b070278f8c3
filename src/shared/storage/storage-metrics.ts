import { Histogram } from 'prom-client';
import { DomainError } from '../errors.js';
import { SeriesCounter } from '../series-counter.js';
import { UnsatisfiableRange } from './object-storage.port.js';

/** The S3 and STS operations that the service calls. */
const OPERATIONS = [
  ...['AbortMultipartUpload', 'AssumeRole', 'DeleteObject', 'DeleteObjects', 'GetBucketVersioning', 'GetObject', 'HeadObject'],
  ...['ListMultipartUploads', 'ListObjectVersions', 'ListObjectsV2', 'ListParts', 'PutObject'],
];

const calls = new SeriesCounter({
  name: 'storage_calls_total',
  help: 'Calls of S3 and of the security token service, by operation and outcome; a call includes its retries by the AWS SDK.',
  labels: ['operation', 'outcome'],
});
for (const operation of OPERATIONS) {
  for (const outcome of ['ok', 'storage_denied', 'storage_unavailable']) calls.series({ operation, outcome });
}

const duration = new Histogram({
  name: 'storage_call_duration_seconds',
  help: 'Time of calls of S3 and of the security token service, by operation; of GetObject until the first byte.',
  labelNames: ['operation'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/** Measures a call. The outcome of a failed call is its error code, or `other` if it was aborted or the caller handles the error. */
export async function measureStorageCall<T>(operation: string, call: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let outcome = 'ok';
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof UnsatisfiableRange)) outcome = error instanceof DomainError ? error.code : 'other';
    throw error;
  } finally {
    calls.series({ operation, outcome }).count += 1;
    duration.observe({ operation }, (performance.now() - startedAt) / 1_000);
  }
}
