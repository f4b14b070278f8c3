import { Injectable } from '@nestjs/common';
import { type Caller, DROPSITE_SCOPE } from '../../shared/auth/index.js';
import { generalErrors } from '../../shared/errors.js';
import { ActivitiesRepository, type ActivityQuery, type ListedColumns } from './activities.repository.js';
import type { Activity } from './activity.entity.js';
import { activityErrors } from './activity.errors.js';
import { ActivityHandlers } from './activity-handlers.port.js';

/** A job as its customer sees it; `message` states why it failed or is waiting. */
export interface ListedActivity {
  /** Null if it is hidden, because with it senders of a dropsite get the credentials of their upload. */
  readonly jobId: string | null;
  readonly activity: ListedColumns;
  readonly message: string | null;
}

/** The caller of a request for a job. */
export interface Asker {
  readonly caller: Caller | null;
  /** The header `clientid`. */
  readonly clientId: string | null;
}

/** The state of a job: it is running, its result, or why it failed. */
export type JobResult =
  | { readonly ok: true; readonly progress?: number }
  | { readonly status: 'failed'; readonly code: string; readonly message: string; readonly log?: string }
  | object;

/** Lists, cancels and returns the jobs of a customer. */
@Injectable()
export class ActivitiesService {
  constructor(
    private readonly activities: ActivitiesRepository,
    private readonly handlers: ActivityHandlers,
  ) {}

  /** Lists a page of the customer's jobs, the newest first. */
  async list({ customerId, scopes }: Caller, query: ActivityQuery): Promise<ListedActivity[]> {
    const listed = await this.withMessages(await this.activities.list(customerId, query));
    const isHidden = ({ activity }: ListedActivity) => activity.clientId !== null && !scopes.has('api');
    return listed.map((one) => (isHidden(one) ? { ...one, jobId: null } : one));
  }

  /** Cancels a waiting or running job. Throws `not_found`, `job_not_cancellable`. */
  async cancel({ customerId }: Caller, id: string): Promise<ListedActivity> {
    const { type } = await this.get(customerId, id);
    if (!(await this.handlers.cancel(type, customerId, id)))
      throw activityErrors.job_not_cancellable(`The job ${id} has already ended, or its type cannot be cancelled.`);
    const [cancelled] = await this.withMessages([await this.get(customerId, id)]);
    if (!cancelled) throw unknownJob(id);
    return cancelled;
  }

  /**
   * Returns the result of a job to users of its customer and to senders of its dropsite, who send the client's id. Throws `not_found`. Upload
   * credentials are only for callers whose scope permits uploads and for senders without a token, the output of a program only for users.
   */
  async getResult({ caller, clientId }: Asker, id: string): Promise<JobResult> {
    const activity = await this.activities.find(id);
    const isSender = activity?.clientId != null && [caller?.clientId, clientId].includes(activity.clientId);
    const isUser = caller !== null && caller.customerId === activity?.customerId && !caller.scopes.has(DROPSITE_SCOPE);
    if (!activity || !(isSender || isUser)) throw unknownJob(id);
    const maySeeSecrets = caller === null || caller.scopes.has('api') || caller.scopes.has(DROPSITE_SCOPE);
    if (activity.status === 'running') return toRunningAnswer(activity);
    if (activity.status === 'failed') return toFailedAnswer(activity, isUser);
    const result = maySeeSecrets ? this.activities.openResult(activity) : activity.result;
    return toFinishedAnswer(result && (await this.handlers.completeResult(activity, result)));
  }

  private async get(customerId: number, id: string): Promise<ListedColumns> {
    const found = await this.activities.findForCustomer(customerId, id);
    if (!found) throw unknownJob(id);
    return found;
  }

  private async withMessages(activities: readonly ListedColumns[]): Promise<ListedActivity[]> {
    const delays = await this.handlers.describeDelays(activities);
    return activities.map((activity) => ({ jobId: activity.id, activity, message: activity.message ?? delays.get(activity.id) ?? null }));
  }
}

const unknownJob = (id: string) => generalErrors.not_found(`There is no job ${id}.`);

const toRunningAnswer = ({ progress }: Activity): JobResult => ({ ok: true, ...(progress !== null && { progress }) });

/** Removes `ok: true`, which earlier versions stored with the result of a transcoding: `ok` means that a job is still running. */
function toFinishedAnswer(stored: object | null): object {
  if (stored === null || !('ok' in stored)) return stored ?? {};
  const { ok: _ok, ...result } = stored;
  return { status: 'successful', ...result };
}

const toFailedAnswer = ({ code, message, log }: Activity, withLog: boolean): JobResult => ({
  ...{ status: 'failed', code: code ?? 'internal', message: message ?? '' },
  ...(withLog && log !== null && { log }),
});
