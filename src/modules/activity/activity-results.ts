import { Injectable } from '@nestjs/common';
import type { Activity, ActivityType } from './activity.entity.js';

/** Adds to the result of a job what is stored elsewhere, so that it is stored once. */
export type ResultCompletion = (activity: Pick<Activity, 'id' | 'customerId'>, result: object) => Promise<object>;

/** What belongs to results of jobs beside what is stored with them: the port by which those who know it add it. */
@Injectable()
export class ActivityResults {
  private readonly byType = new Map<ActivityType, ResultCompletion>();

  /** Register before the application starts. */
  register(type: ActivityType, completion: ResultCompletion): void {
    this.byType.set(type, completion);
  }

  async complete(activity: Pick<Activity, 'id' | 'type' | 'customerId'>, result: object): Promise<object> {
    return (await this.byType.get(activity.type)?.(activity, result)) ?? result;
  }
}
