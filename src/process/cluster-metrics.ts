import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';

interface Question {
  readonly type: 'metrics:question';
  readonly id: number;
}

interface Answer {
  readonly type: 'metrics:answer';
  readonly id: number;
  /** Null when the processes could not be asked: one ended meanwhile. */
  readonly text: string | null;
}

const waiting = new Map<number, (text: string | null) => void>();
let lastId = 0;

/** In a forked process: lets it take part in the metrics of all processes. Returns what asks the supervisor for them. */
export function joinClusterMetrics(): () => Promise<string> {
  new AggregatorRegistry(); // hears the supervisor's questions from now on
  process.on('message', (message: Answer) => {
    if (message?.type !== 'metrics:answer') return;
    waiting.get(message.id)?.(message.text);
    waiting.delete(message.id);
  });
  return ask;
}

async function ask(): Promise<string> {
  lastId += 1;
  const id = lastId;
  const text = await new Promise<string | null>((resolve) => {
    waiting.set(id, resolve);
    process.send?.({ type: 'metrics:question', id } satisfies Question);
  });
  if (text === null) throw new Error('The processes could not be asked for their metrics.');
  return text;
}

/** In the supervisor: answers the question above with the sum over all processes. */
export function answerClusterMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Question) => {
    if (message?.type !== 'metrics:question') return;
    const answer = (text: string | null) => {
      if (worker.isConnected()) worker.send({ type: 'metrics:answer', id: message.id, text } satisfies Answer);
    };
    registry.clusterMetrics().then(answer, () => answer(null));
  });
}
