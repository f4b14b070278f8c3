import { ConverterWorker } from '../../../src/modules/converter/index.js';
import { ProgramsOfWorkers } from '../../../src/modules/formats/index.js';
import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';

/** Says in the database that one worker lives and has these programs; null: none lives. */
export async function declareWorker({ app }: Pick<TestApp, 'app'>, programs: readonly string[] | null): Promise<void> {
  const database = app.get(Database);
  await database.query('DELETE FROM converter_workers');
  if (programs) {
    const isolation = { limits: true, network: true, processes: true, files: true, user: true, privileges: true };
    const worker = { name: 'of-a-test', host: 'elsewhere', programs: [...programs], tools: {}, isolation, startedAt: new Date() };
    await database.repository(ConverterWorker).insert(worker);
  }
}

/** Every format is available in this process, also on a machine without ffmpeg; its worker makes only what the machine's programs can. */
export function ignoreMissingPrograms({ app }: Pick<TestApp, 'app'>): void {
  Object.assign(app.get(ProgramsOfWorkers), { findMissing: async () => null });
}
