import { Injectable } from '@nestjs/common';
import type { ActivityType } from './activity.entity.js';

/** Ends a job of the customer that has not ended; false: it had. */
export type CancelActivity = (customerId: number, jobId: string) => Promise<boolean>;

/** Which jobs can be cancelled: the port by which those who run them say how. */
@Injectable()
export class ActivityCancellers {
  private readonly byType = new Map<ActivityType, CancelActivity>();

  /** Register before the application starts. */
  register(type: ActivityType, cancel: CancelActivity): void {
    this.byType.set(type, cancel);
  }

  /** False: it had ended, or jobs of its type are carried through. */
  async cancel(type: ActivityType, customerId: number, jobId: string): Promise<boolean> {
    return (await this.byType.get(type)?.(customerId, jobId)) ?? false;
  }
}
