import { hostname } from 'node:os';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Caches, type NotifiedCache } from '../../../shared/cache/index.js';
import { Database } from '../../../shared/database/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { Clock } from '../../../shared/time/index.js';
import { FormatAvailability } from '../../formats/index.js';
import { ConverterWorker, unableToWork, whyUnable } from './converter-worker.entity.js';
import { fewestMissing } from './fewest-missing.js';
import { Isolation } from './isolation.js';
import { Toolbox } from './toolbox.js';

/** The one key of the cache: there are few workers, and who asks wants all. */
const ALL = 'all';

const REMOVE = `DELETE FROM converter_workers WHERE name = ANY($1::text[]) RETURNING name, host`;

/** The workers that live, and what each can run. */
@Injectable()
export class ConverterWorkers implements OnModuleInit {
  /** The workers of this process, with their rows. */
  private readonly own = new Map<string, ConverterWorker>();
  private readonly workers: NotifiedCache<readonly ConverterWorker[]>;

  constructor(
    caches: Caches,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly presence: WorkerPresence,
    private readonly availability: FormatAvailability,
    private readonly toolbox: Toolbox,
    private readonly isolation: Isolation,
    private readonly log: Log,
  ) {
    this.workers = caches.create<readonly ConverterWorker[]>({
      channel: 'converter_workers_changed',
      load: async () => await this.database.repository(ConverterWorker).find({ order: { startedAt: 'ASC', name: 'ASC' } }),
      limit: 1,
    });
  }

  onModuleInit(): void {
    this.availability.answerBy(async (programs) => {
      const able = await this.able();
      const missing = fewestMissing(programs, able);
      return missing && { programs: missing, refused: able.every(({ isolation }) => isolation.refusal !== undefined) };
    });
    this.presence.watch({ holders: async () => await this.look(), release: async (dead) => await this.bury(dead) });
  }

  /** Tells everybody of a worker of this process, which has been announced to WorkerPresence: by its lock the others see that it lives. */
  async join(name: string): Promise<void> {
    const [programs, tools, refusal] = [await this.toolbox.programs(), await this.toolbox.report(), await this.toolbox.refusal()];
    const isolation = { ...(await this.isolation.report()), ...(refusal !== null && { refusal }) };
    for (const [program, report] of Object.entries(tools)) {
      if ('problem' in report) this.log.warn({ program }, report.problem);
    }
    if (refusal !== null) this.log.error({ worker: name }, refusal);
    const warning = await this.isolation.warning();
    if (warning !== null) this.log.warn({ worker: name }, warning);
    this.log.info({ worker: name, programs, tools, isolation }, 'a converter worker begins');
    const worker = { name, host: hostname(), programs: [...programs], tools, isolation, startedAt: this.clock.now() };
    this.own.set(name, worker);
    await this.write(worker);
  }

  /** Tells everybody of a worker of this process that it cannot work, and why, until it joins. */
  async excuse(name: string, problem: string): Promise<void> {
    const worker = { name, host: hostname(), ...unableToWork(problem), startedAt: this.clock.now() };
    this.own.set(name, worker);
    await this.write(worker);
  }

  /** A worker of this process has ended. */
  async leave(name: string): Promise<void> {
    this.own.delete(name);
    await this.remove([name]);
  }

  /** All workers in the order in which they began, from memory. One that dies is among them until it is missed, for some seconds. */
  async all(): Promise<readonly ConverterWorker[]> {
    return (await this.workers.get(ALL))?.value ?? [];
  }

  /** Whether there are workers, and none of them can work. */
  async areUnable(): Promise<boolean> {
    return (await this.all()).length > 0 && (await this.able()).length === 0;
  }

  /** Those of all workers that can work. */
  private async able(): Promise<readonly ConverterWorker[]> {
    return (await this.all()).filter((worker) => whyUnable(worker) === null);
  }

  /**
   * The names of all workers, read. Those of this process that are missing come back: somebody took them for dead, while the connection was
   * down that holds their locks.
   */
  private async look(): Promise<string[]> {
    const rows = await this.database.repository(ConverterWorker).find({ select: { name: true } });
    const names = new Set(rows.map(({ name }) => name));
    for (const [name, worker] of this.own) if (!names.has(name)) await this.write(worker);
    return [...names];
  }

  private async write(worker: ConverterWorker): Promise<void> {
    await this.workers.changing([ALL], async () => await this.database.repository(ConverterWorker).upsert(worker, ['name']));
  }

  private async bury(dead: readonly string[]): Promise<void> {
    for (const { name, host } of await this.remove(dead)) this.log.warn({ worker: name, host }, 'a converter worker died');
  }

  /** Answers those that were there. */
  private async remove(names: readonly string[]): Promise<readonly Pick<ConverterWorker, 'name' | 'host'>[]> {
    return await this.workers.changing([ALL], async () => (await this.database.query<ConverterWorker>(REMOVE, [names])).rows);
  }
}
