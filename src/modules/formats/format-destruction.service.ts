import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { type Caller, editorOf, requireAdminLevel } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors.js';
import { Hooks } from '../../shared/hooks.js';
import { requireMatch } from '../../shared/http/index.js';
import { JobsService, UNTIL_DONE } from '../../shared/jobs/index.js';
import { ActivitiesRepository, type NewActivity } from '../activity/index.js';
import { MediaItemsRepository, MediaRemovalHooks, MediaRemovalService } from '../media/index.js';
import { FORMAT_DESTROYED } from './format.entity.js';
import { FormatReaderService } from './format-reader.service.js';
import { formatErrors } from './formats.errors.js';
import { FormatsRepository } from './formats.repository.js';

const TASK = 'destroy_format';
const ADMIN_LEVEL = 9;

/** A format that is being destroyed with `items` media items; the job `jobId` ends when they are gone. */
export interface DestroyedFormat {
  readonly id: number;
  readonly flag: typeof FORMAT_DESTROYED;
  readonly items: number;
  readonly jobId: string;
}

/** `force` destroys the media items of the format, too. */
interface FormatDestruction {
  readonly force?: boolean;
  readonly ifMatch?: string;
}

interface Job extends Omit<DestroyedFormat, 'flag'> {
  readonly customerId: number;
}

/** Called with the id of a format that is destroyed, in the same transaction. */
export class FormatDestructionHooks extends Hooks<number> {}

/** Destroys formats (specification, States): softly while they have media items, or by a job together with all of them. */
@Injectable()
export class FormatDestructionService implements OnModuleInit {
  constructor(
    private readonly reader: FormatReaderService,
    private readonly formats: FormatsRepository,
    private readonly database: Database,
    private readonly inventory: MediaItemsRepository,
    private readonly removal: MediaRemovalService,
    private readonly removals: MediaRemovalHooks,
    private readonly hooks: FormatDestructionHooks,
    private readonly activities: ActivitiesRepository,
    private readonly jobs: JobsService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.removals.add(async (formatIds) => await this.deleteUnused(formatIds));
    this.jobs.handle<Job>(TASK, async (job) => await this.destroyWithItems(job));
  }

  /** Destroys a format. Throws `not_found`, `blueprint_read_only`, `admin_level_not_sufficient`, `precondition_failed`. */
  async destroy(caller: Caller, id: number, { force = false, ifMatch }: FormatDestruction = {}): Promise<DestroyedFormat> {
    const { customerId } = caller;
    const seen = await this.reader.find(customerId, id);
    if (!seen) throw notFound(id);
    requireAdminLevel(caller, ADMIN_LEVEL, 'destroy a format');
    if (seen.customerId === null) throw formatErrors.blueprint_read_only(`The format ${id} is a blueprint and cannot be destroyed.`);
    return await this.database.transaction(async () => {
      const format = await this.formats.lockForCustomer(customerId, id);
      if (!format || format.destroyJobId !== null) throw notFound(id);
      requireMatch(ifMatch, format, `format ${id}`);
      const items = await this.removal.count({ formatId: id });
      await this.audit.note(caller, { action: 'format.delete', subject: `format:${id}` });
      const job = { id, items: force ? items : 0, jobId: randomUUID(), customerId };
      if (items === 0) await this.remove(id);
      else if (force) return await this.startDestruction(job);
      else await this.formats.save({ ...format, flag: FORMAT_DESTROYED, ...editorOf(caller) });
      await this.activities.succeed(activityOf(job), { result: toResult(job) });
      return { ...toResult(job), jobId: job.jobId };
    });
  }

  /** Deletes softly destroyed formats when their last media item is removed. */
  private async deleteUnused(formatIds: readonly number[]): Promise<void> {
    await this.formats.lockOwned(formatIds); // a concurrent destruction has counted the items before their removal
    const inUse = new Set(await this.inventory.findFormatsInUse(formatIds));
    for (const id of await this.formats.findSoftlyDestroyed(formatIds)) if (!inUse.has(id)) await this.remove(id);
  }

  /** Hides the format and adds the job that removes its media items and then the format. */
  private async startDestruction({ customerId, ...job }: Job): Promise<DestroyedFormat> {
    await this.formats.markForDestruction(job.id, job.jobId);
    await this.hooks.run(job.id);
    await this.activities.start(activityOf({ ...job, customerId }));
    await this.jobs.add(TASK, { ...job, customerId }, { maxAttempts: UNTIL_DONE });
    return { ...toResult(job), jobId: job.jobId };
  }

  private async remove(id: number): Promise<void> {
    await this.hooks.run(id);
    await this.formats.delete(id);
  }

  private async destroyWithItems(job: Job): Promise<void> {
    await this.removal.remove({ formatId: job.id });
    await this.database.transaction(async () => {
      await this.formats.delete(job.id);
      await this.activities.succeed(activityOf(job), { result: toResult(job) });
    });
  }
}

const activityOf = ({ id: formatId, jobId: id, customerId }: Job): NewActivity => ({
  ...{ id, customerId, clientId: null },
  ...{ type: 'formatDestruction', formatId },
});

const toResult = ({ id, items }: Pick<Job, 'id' | 'items'>) => ({ id, flag: FORMAT_DESTROYED, items });

const notFound = (id: number) => generalErrors.not_found(`There is no format ${id}.`);
