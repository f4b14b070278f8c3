import { hostname } from 'node:os';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { WorkerPresenceService } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { type MissingPrograms, offeredBy, type ProgramsOfWorkers } from '../../formats/index.js';
import { ConverterWorker, unableToWork, whyUnable } from './converter-worker.entity.js';
import { IsolationService } from './isolation.service.js';
import { ToolboxService } from './toolbox.service.js';

/**
 * The programs that the best equipped worker lacks, because one machine needs all of them. Null: there is no worker.
 */
export function fewestMissing(
  programs: readonly string[],
  workers: readonly Pick<ConverterWorker, 'programs'>[],
): readonly string[] | null {
  const missing = workers.map((worker) => programs.filter((program) => !offeredBy(worker.programs).includes(program)));
  return missing.sort((one, other) => one.length - other.length)[0] ?? null;
}

/** One line for all programs: a first start on a bare machine lacks most of them. */
const MISSING =
  'Renditions that need these programs are not made: `sudo npm run install:tools` installs them (Debian, Ubuntu); docs/converter.md, "Programs".';

/** The living workers, and what each can run. */
@Injectable()
export class ConverterWorkersService implements OnModuleInit, ProgramsOfWorkers {
  /** The workers of this process, with their rows. */
  private readonly own = new Map<string, ConverterWorker>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly presence: WorkerPresenceService,
    private readonly toolbox: ToolboxService,
    private readonly isolation: IsolationService,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.presence.watch({ listWorkers: async () => await this.listNames(), release: async (dead) => await this.removeDead(dead) });
  }

  async findMissing(sets: readonly (readonly string[])[]): Promise<readonly MissingPrograms[] | null> {
    const able = await this.able();
    if (able.length === 0) return null;
    const refused = able.every(({ isolation }) => isolation.refusal !== undefined);
    return sets.map((programs) => ({ programs: fewestMissing(programs, able) ?? [], refused }));
  }

  /** Publishes a worker of this process. It has been announced to WorkerPresenceService, whose lock shows others that it lives. */
  async join(name: string): Promise<void> {
    const [programs, tools, refusal] = [await this.toolbox.programs(), await this.toolbox.report(), await this.toolbox.refusal()];
    const isolation = { ...(await this.isolation.report()), ...(refusal !== null && { refusal }) };
    const missing: readonly string[] = await this.toolbox.missing();
    for (const [program, report] of Object.entries(tools)) {
      if ('problem' in report && !missing.includes(program)) this.log.warn({ program }, report.problem);
    }
    if (missing.length > 0) this.log.warn({ missing }, MISSING);
    if (refusal !== null) this.log.error({ worker: name }, refusal);
    const warning = await this.isolation.warning();
    if (warning !== null) this.log.warn({ worker: name }, warning);
    this.log.info({ worker: name, programs, isolation }, 'a converter worker started'); // GET /health/ready has the versions
    const worker = { name, host: hostname(), programs: [...offeredBy(programs)], tools, isolation, startedAt: this.clock.now() };
    this.own.set(name, worker);
    await this.write(worker);
  }

  /** Publishes why a worker of this process cannot work, until it joins. */
  async reportProblem(name: string, problem: string): Promise<void> {
    const worker = { name, host: hostname(), ...unableToWork(problem), startedAt: this.clock.now() };
    this.own.set(name, worker);
    await this.write(worker);
  }

  /** Removes a worker of this process that has ended. */
  async leave(name: string): Promise<void> {
    this.own.delete(name);
    await this.remove([name]);
  }

  /** All workers in the order in which they started, possibly with a worker that died some seconds ago. */
  async all(): Promise<readonly ConverterWorker[]> {
    return await this.rows.find({ order: { startedAt: 'ASC', name: 'ASC' } });
  }

  /** Whether workers exist but none of them can work. */
  async areUnable(): Promise<boolean> {
    const all = await this.all();
    return all.length > 0 && all.every((worker) => whyUnable(worker) !== null);
  }

  /** The workers that can work. */
  async able(): Promise<readonly ConverterWorker[]> {
    return (await this.all()).filter((worker) => whyUnable(worker) === null);
  }

  /**
   * The names of all workers. Missing workers of this process are added again: another process deleted them as dead while the
   * connection that holds their locks was interrupted.
   */
  private async listNames(): Promise<string[]> {
    const rows = await this.rows.find({ select: { name: true } });
    const names = new Set(rows.map(({ name }) => name));
    for (const [name, worker] of this.own) if (!names.has(name)) await this.write(worker);
    return [...names];
  }

  private async write(worker: ConverterWorker): Promise<void> {
    await this.rows.upsert(worker, ['name']);
  }

  private async removeDead(dead: readonly string[]): Promise<void> {
    for (const { name, host } of await this.remove(dead)) this.log.warn({ worker: name, host }, 'a converter worker died');
  }

  /** Deletes these workers and returns those that existed. */
  private async remove(names: readonly string[]): Promise<readonly Pick<ConverterWorker, 'name' | 'host'>[]> {
    const deletion = this.rows
      .createQueryBuilder()
      .delete()
      .where({ name: In([...names]) });
    return (await deletion.returning(['name', 'host']).execute()).raw as Pick<ConverterWorker, 'name' | 'host'>[];
  }

  private get rows() {
    return this.database.repository(ConverterWorker);
  }
}
