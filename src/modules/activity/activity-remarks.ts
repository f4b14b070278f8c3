import { Injectable } from '@nestjs/common';
import type { Activity, ActivityType } from './activity.entity.js';

/** Says of jobs that have not ended what keeps them, each as a sentence for a person; nothing of those that go on. */
export type RemarkOnActivities = (jobIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** What there is to say of jobs while they wait: the port by which those who run them say it. */
@Injectable()
export class ActivityRemarks {
  private readonly byType = new Map<ActivityType, RemarkOnActivities>();

  /** Register before the application starts. */
  register(type: ActivityType, remark: RemarkOnActivities): void {
    this.byType.set(type, remark);
  }

  /** By job. */
  async on(activities: readonly Pick<Activity, 'id' | 'type' | 'status'>[]): Promise<ReadonlyMap<string, string>> {
    const remarks = [...this.byType].map(async ([type, remark]) => {
      const ids = activities.filter((activity) => activity.type === type && activity.status === 'running').map(({ id }) => id);
      return ids.length === 0 ? [] : [...(await remark(ids))];
    });
    return new Map((await Promise.all(remarks)).flat());
  }
}
