import { Injectable } from '@nestjs/common';
import type { Activity, ActivityType } from './activity.entity.js';

/** What the module that runs jobs of one type contributes to what callers see and do. */
export interface ActivityHandler {
  /** Ends a job of the customer that has not ended; false: it had ended. Absent: jobs of this type cannot be cancelled. */
  cancel?(customerId: number, jobId: string): Promise<boolean>;
  /** What keeps jobs that have not ended waiting, each as a sentence for a person; nothing for those that run. */
  describeDelays?(jobIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Adds to a result what is stored elsewhere, so that it is not stored twice. */
  completeResult?(activity: Pick<Activity, 'id' | 'customerId'>, result: object): Promise<object>;
}

/** The handlers by type: activity depends on no other module, so the modules that run jobs register themselves. */
@Injectable()
export class ActivityHandlers {
  private readonly byType = new Map<ActivityType, ActivityHandler>();

  /** Register before the application starts. */
  register(type: ActivityType, handler: ActivityHandler): void {
    this.byType.set(type, handler);
  }

  /** False: the job had ended, or its type cannot be cancelled. */
  async cancel(type: ActivityType, customerId: number, jobId: string): Promise<boolean> {
    return (await this.byType.get(type)?.cancel?.(customerId, jobId)) ?? false;
  }

  /** By job. */
  async describeDelays(activities: readonly Pick<Activity, 'id' | 'type' | 'status'>[]): Promise<ReadonlyMap<string, string>> {
    const delays = [...this.byType].map(async ([type, handler]) => {
      const ids = activities.filter((activity) => activity.type === type && activity.status === 'running').map(({ id }) => id);
      return ids.length === 0 ? [] : [...((await handler.describeDelays?.(ids)) ?? [])];
    });
    return new Map((await Promise.all(delays)).flat());
  }

  async completeResult(activity: Pick<Activity, 'id' | 'type' | 'customerId'>, result: object): Promise<object> {
    return (await this.byType.get(activity.type)?.completeResult?.(activity, result)) ?? result;
  }
}
