import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../shared/config/index.js';
import type { Log } from '../shared/logging/index.js';
import { answerClusterMetrics, webProcessDeaths } from './cluster-metrics.js';

/** The delay before replacing a process that ended before it listened. */
const TRY_AGAIN_MS = 1_000;
/** After the grace period a process exits by itself; one that hangs is killed after this additional time. */
const KILL_BEYOND_GRACE_MS = 7_000;

/**
 * Forks WEB_CONCURRENCY processes that serve requests on one port, and replaces processes that die (their memory only holds caches).
 * Resolves when all of them listen, with a function that stops them.
 */
export async function startWebProcesses(config: Config, log: Log): Promise<() => Promise<void>> {
  let stopping = false;
  const env = completedVariables(config);

  const fork = async (): Promise<void> => {
    const worker = cluster.fork(env);
    await listening(worker);
    worker.once('exit', (exitCode, signal) => {
      if (stopping) return;
      webProcessDeaths.count += 1;
      log.error({ worker: worker.process.pid, exitCode, signal }, 'a web process died and is replaced');
      void replace();
    });
  };
  const replace = async (): Promise<void> => {
    for (; !stopping; await setTimeout(TRY_AGAIN_MS)) {
      try {
        return await fork();
      } catch (err) {
        if (!stopping) log.error({ err }, 'a web process could not be replaced, trying again');
      }
    }
  };
  const stop = async (): Promise<void> => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => end(worker, config.shutdownGraceSeconds * 1_000 + KILL_BEYOND_GRACE_MS)));
  };

  answerClusterMetrics();
  try {
    await Promise.all(Array.from({ length: config.webConcurrency }, fork));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** The variables that the embedded parts filled in; a forked process inherits the rest of the environment. */
function completedVariables(config: Config): Record<string, string> {
  const { port, dataDir, databaseUrl, appSecret } = config;
  return { PORT: String(port), DATA_DIR: dataDir, DATABASE_URL: databaseUrl, APP_SECRET: appSecret, ...storageVariables(config) };
}

/** The variables of the local object storage. Its key is passed as the AWS SDK's default credentials, before a profile or a session. */
function storageVariables({ s3Bucket, s3Endpoint, stsEndpoint, stsRoleArn, awsRegion, storageKey }: Config): Record<string, string> {
  if (storageKey === null) return {};
  return {
    S3_BUCKET: s3Bucket,
    S3_ENDPOINT: s3Endpoint,
    STS_ENDPOINT: stsEndpoint,
    STS_ROLE_ARN: stsRoleArn,
    AWS_REGION: awsRegion,
    AWS_ACCESS_KEY_ID: storageKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: storageKey.secretAccessKey,
    AWS_SESSION_TOKEN: '',
    AWS_PROFILE: '',
  };
}

async function listening(worker: Worker): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    worker.once('listening', () => resolve());
    worker.once('exit', (code, signal) => reject(new Error(`A web process ended (${signal ?? `code ${code}`}) before it listened.`)));
  });
}

async function end(worker: Worker, killAfterMs: number): Promise<void> {
  if (worker.isDead()) return;
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.process.kill('SIGTERM');
  const killing = new AbortController();
  setTimeout(killAfterMs, undefined, { signal: killing.signal }).then(
    () => worker.process.kill('SIGKILL'),
    () => {}, // it ended in time
  );
  await gone;
  killing.abort();
}
