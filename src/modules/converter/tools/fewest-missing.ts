import type { ConverterWorker } from './converter-worker.entity.js';

/**
 * What the worker lacks of these programs that lacks the fewest: one machine needs all of them. Null: there is no worker.
 */
export function fewestMissing(
  programs: readonly string[],
  workers: readonly Pick<ConverterWorker, 'programs'>[],
): readonly string[] | null {
  const missing = workers.map((worker) => programs.filter((program) => !worker.programs.includes(program)));
  return missing.sort((one, other) => one.length - other.length)[0] ?? null;
}
