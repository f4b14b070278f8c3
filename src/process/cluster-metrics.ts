import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, register } from 'prom-client';
import { SeriesCounter } from '../shared/series-counter.js';

/** If a web process does not respond within this time, its last report is used. */
const TIMEOUT_MS = 1_500;
/** How long a web process waits for the supervisor. */
const SUPERVISOR_TIMEOUT_MS = 5_000;

type Values = MetricObjectWithValues<MetricValue<string>>[];

const DEATHS = 'web_process_deaths_total';

/** Counted by the supervisor: while the other processes respond, only this metric shows that one dies repeatedly. */
export const webProcessDeaths = new SeriesCounter({
  name: DEATHS,
  help: 'Web processes of this machine that died and were replaced.',
  labels: [],
}).series({});

/** A web process requests the metrics of all processes from the supervisor. */
interface Question {
  readonly type: 'metrics:question';
  readonly id: number;
}

/** The supervisor's response. */
interface Answer {
  readonly type: 'metrics:answer';
  readonly id: number;
  /** Null: the metrics could not be aggregated. */
  readonly text: string | null;
}

/** The supervisor requests the metrics of one web process. */
interface Request {
  readonly type: 'metrics:request';
  readonly id: number;
}

/** The web process's response. */
interface Report {
  readonly type: 'metrics:report';
  readonly id: number;
  readonly values: Values;
}

const waiting = new Map<number, (result: never) => void>();
let lastId = 0;

/** Sends a message with a new id, and waits for the response with that id. Null: no response arrived in time. */
async function ask<Result>(send: (id: number) => void, timeoutMs: number): Promise<Result | null> {
  lastId += 1;
  const id = lastId;
  const result = new Promise<Result>((resolve) => waiting.set(id, resolve));
  send(id);
  try {
    return await Promise.race([result, setTimeout(timeoutMs, null, { ref: false })]);
  } finally {
    waiting.delete(id);
  }
}

const receive = (id: number, result: unknown): void => waiting.get(id)?.(result as never);

/** In a web process: includes its metrics in those of all processes. Returns a function that requests the metrics of all processes. */
export function joinClusterMetrics(): () => Promise<string> {
  process.on('message', (message: Answer | Request) => {
    if (message?.type === 'metrics:answer') receive(message.id, message.text);
    if (message?.type !== 'metrics:request') return;
    const { id } = message;
    const report = (values: Values) => void process.send?.({ type: 'metrics:report', id, values } satisfies Report);
    register.getMetricsAsJSON().then(report, () => {}); // the supervisor continues with the last report
  });
  return async () => {
    const question = (id: number) => void process.send?.({ type: 'metrics:question', id } satisfies Question);
    const text = await ask<string | null>(question, SUPERVISOR_TIMEOUT_MS);
    if (text === null) throw new Error('The metrics of the processes could not be added up.');
    return text;
  };
}

/** A message to a process that has just died fails; without a callback the error would be thrown and end the supervisor. */
const ignoreFailure = (): void => {};

/** In the supervisor: the last reports of the running processes. */
const latest = new Map<number, Values>();
/** In the supervisor: the counters and histograms of processes that have ended, so that no sum falls when a process is replaced. */
let ended: Values = [];

/** In the supervisor: answers the requests of its processes. Call it before the first process is forked. */
export function answerClusterMetrics(): void {
  cluster.on('listening', (worker: Worker) => latest.set(worker.id, latest.get(worker.id) ?? []));
  cluster.on('exit', (worker: Worker) => {
    const sums = (latest.get(worker.id) ?? []).filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
    latest.delete(worker.id);
    ended = AggregatorRegistry.aggregate([ended, sums]).getMetricsAsArray() as unknown as Values; // metrics of this registry contain values
  });
  cluster.on('message', (worker: Worker, message: Question | Report) => {
    if (message?.type === 'metrics:report') receive(message.id, message.values);
    if (message?.type !== 'metrics:question') return;
    const { id } = message;
    const answer = (text: string | null) => {
      if (worker.isConnected()) worker.send({ type: 'metrics:answer', id, text } satisfies Answer, ignoreFailure);
    };
    collectClusterMetrics().then(answer, () => answer(null));
  });
}

/** In the supervisor: the aggregated metrics of all processes (docs/metrics.md). */
export async function collectClusterMetrics(): Promise<string> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(workers.filter(({ id }) => latest.has(id)).map(readMetrics));
  const deaths = await register.getSingleMetric(DEATHS)?.get();
  return await AggregatorRegistry.aggregate([...latest.values(), ended, deaths ? [deaths] : []]).metrics();
}

async function readMetrics(worker: Worker): Promise<void> {
  if (!worker.isConnected()) return;
  const values = await ask<Values>((id) => worker.send({ type: 'metrics:request', id } satisfies Request, ignoreFailure), TIMEOUT_MS);
  if (values && latest.has(worker.id)) latest.set(worker.id, values); // it may have ended meanwhile
}
