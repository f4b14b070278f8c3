import { Injectable } from '@nestjs/common';
import type { Activity, ActivityType } from './activity.entity.js';

/** Implemented by the module that runs the jobs of a type, for what callers see and do with them. */
export interface ActivityHandler {
  /** Cancels a job of the customer; false: it had already ended. Absent: jobs of this type cannot be cancelled. */
  cancel?(customerId: number, jobId: string): Promise<boolean>;
  /** States why jobs are waiting, as a sentence for a person by job id; omits jobs that are running. */
  describeDelays?(jobIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Completes a result with data that is stored elsewhere, so that it is not stored twice. */
  completeResult?(activity: Pick<Activity, 'id' | 'customerId'>, result: object): Promise<object>;
}

/** Registry of the handlers by type: this module depends on no other, so the modules that run jobs register themselves. */
@Injectable()
export class ActivityHandlers {
  private readonly byType = new Map<ActivityType, ActivityHandler>();

  /** Registers the handler of a type; must be called before the application starts. */
  register(type: ActivityType, handler: ActivityHandler): void {
    this.byType.set(type, handler);
  }

  /** Cancels a job; false: it had already ended, or its type cannot be cancelled. */
  async cancel(type: ActivityType, customerId: number, jobId: string): Promise<boolean> {
    return (await this.byType.get(type)?.cancel?.(customerId, jobId)) ?? false;
  }

  /** States why jobs are waiting, by job id. */
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
