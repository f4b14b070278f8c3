import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';

interface Question {
  readonly type: 'metrics:question';
  readonly id: number;
}

interface Answer {
  readonly type: 'metrics:answer';
  readonly id: number;
  readonly text: string;
}

const waiting = new Map<number, (text: string) => void>();
let lastId = 0;

/** In a forked process: the metrics of all processes, which only the supervisor can collect. */
export async function metricsOfCluster(): Promise<string> {
  if (lastId === 0) {
    process.on('message', (message: Answer) => {
      if (message?.type !== 'metrics:answer') return;
      waiting.get(message.id)?.(message.text);
      waiting.delete(message.id);
    });
  }
  lastId += 1;
  const id = lastId;
  return await new Promise((resolve) => {
    waiting.set(id, resolve);
    process.send?.({ type: 'metrics:question', id } satisfies Question);
  });
}

/** In the supervisor: answers the question above. */
export function answerMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Question) => {
    if (message?.type !== 'metrics:question') return;
    registry.clusterMetrics().then(
      (text) => worker.send({ type: 'metrics:answer', id: message.id, text } satisfies Answer),
      () => worker.send({ type: 'metrics:answer', id: message.id, text: '' } satisfies Answer),
    );
  });
}
