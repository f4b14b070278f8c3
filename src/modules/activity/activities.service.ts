import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { LessThan } from 'typeorm';
import type { Caller } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors/index.js';
import { defined } from '../../shared/validation/index.js';
import { Activity, type ActivityStatus, type ActivityType } from './activity.entity.js';
import { activityErrors } from './activity.errors.js';
import { ActivityCancellers } from './activity-cancellers.js';
import { ActivityRemarks } from './activity-remarks.js';

/** Which jobs: those that began before `before` (a sequence), of them only what is named. */
export interface ActivityQuery {
  readonly status?: ActivityStatus;
  readonly type?: ActivityType;
  readonly mediaContainerId?: number;
  readonly before?: number;
  readonly limit: number;
}

/** A job as its customer sees it; `message`: why it failed, or what keeps it waiting. */
export interface ListedActivity {
  /** Null where it is hidden: with it, senders of a dropsite get the credentials of their upload. */
  readonly jobId: string | null;
  readonly activity: Omit<Activity, 'result' | 'sealedResult' | 'sealedUntil'>;
  readonly message: string | null;
}

/** What is read of a job for a list: not its result, which may be large. */
const LISTED = {
  ...{
    id: true,
    sequence: true,
    customerId: true,
    clientId: true,
    type: true,
    status: true,
    progress: true,
    mediaContainerId: true,
    formatId: true,
  },
  ...{ createdAt: true, finishedAt: true, message: true },
} as const;

/** The jobs of a customer, for its users. */
@Injectable()
export class ActivitiesService {
  constructor(
    private readonly database: Database,
    private readonly cancellers: ActivityCancellers,
    private readonly remarks: ActivityRemarks,
  ) {}

  /** A page, the newest first. */
  async list({ customerId, scopes }: Caller, { before, limit, ...query }: ActivityQuery): Promise<ListedActivity[]> {
    const where = { customerId, ...defined(query), ...(before !== undefined && { sequence: LessThan(String(before)) }) };
    const found = await this.database.repository(Activity).find({ select: LISTED, where, order: { sequence: 'DESC' }, take: limit });
    const listed = await this.withMessages(found);
    const isHidden = ({ activity }: ListedActivity) => activity.clientId !== null && !scopes.has('api');
    return listed.map((one) => (isHidden(one) ? { ...one, jobId: null } : one));
  }

  /** Ends a job that waits or runs. Throws `not_found`, `job_not_cancellable`. */
  async cancel({ customerId }: Caller, id: string): Promise<ListedActivity> {
    const { type } = await this.get(customerId, id);
    if (!(await this.cancellers.cancel(type, customerId, id)))
      throw activityErrors.job_not_cancellable(`The job ${id} has ended already, or is of a type that cannot be cancelled.`);
    const [cancelled] = await this.withMessages([await this.get(customerId, id)]);
    if (!cancelled) throw unknown(id);
    return cancelled;
  }

  private async get(customerId: number, id: string): Promise<Activity> {
    const where = { id, customerId };
    const found = isUUID(id) ? await this.database.repository(Activity).findOne({ select: LISTED, where }) : null;
    if (!found) throw unknown(id);
    return found;
  }

  private async withMessages(activities: readonly Activity[]): Promise<ListedActivity[]> {
    const remarks = await this.remarks.on(activities);
    return activities.map((activity) => ({ jobId: activity.id, activity, message: activity.message ?? remarks.get(activity.id) ?? null }));
  }
}

const unknown = (id: string) => generalErrors.not_found(`There is no job ${id}.`);
