import { Injectable } from '@nestjs/common';
import { Database, isUniqueViolation, together } from '../../../shared/database/index.js';
import { Clock } from '../../../shared/time/index.js';
import { ActivitiesRepository, type NewActivity, type Outcome } from '../../activity/index.js';
import { MediaIntake, type PlannedOriginal } from '../../media/index.js';
import { type PreparedBatch, UploadBatchesRepository } from '../batches/upload-batches.repository.js';

/** A new batch with everything that hangs on it. */
export interface NewRecord {
  readonly batch: PreparedBatch;
  readonly originals: readonly PlannedOriginal[];
  readonly activity: NewActivity & Outcome;
}

/** Writes batches: with their media and the result of their job in one statement, which requests of the same moment share. */
@Injectable()
export class BatchRecorder {
  private readonly insert: (record: NewRecord) => Promise<true | null>;

  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly media: MediaIntake,
    private readonly activities: ActivitiesRepository,
    private readonly clock: Clock,
  ) {
    this.insert = database.batched(
      ({ batch }: NewRecord) => batch.jobId,
      async (records) => await this.insertAll(records),
    );
  }

  /** False when the customer has a batch of this uploadId. `admit` runs in the same transaction and may refuse by throwing. */
  async record(record: NewRecord, admit?: () => Promise<void>): Promise<boolean> {
    try {
      await this.database.attempt(async () => {
        if (admit) await this.database.transaction(async () => await this.admitAndInsert(record, admit));
        else await this.insert(record);
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Gives a batch that a job prepares its media. Throws when it is prepared already, or gone. */
  async fill(batchId: number, { batch, originals, activity }: NewRecord): Promise<void> {
    await this.database.transaction(async () => {
      const { text, values } = together(this.media.insertions(originals));
      await this.database.query(text, values);
      if (!(await this.batches.fill(batchId, batch))) throw new Error(`The batch ${batchId} is not being prepared any more.`);
      await this.activities.succeed(activity, activity);
    });
  }

  /** The batch first: of two equal requests one waits for the other here, and does not count against any limit. */
  private async admitAndInsert(record: NewRecord, admit: () => Promise<void>): Promise<void> {
    await this.insert(record);
    await admit();
  }

  private async insertAll(records: readonly NewRecord[]): Promise<Map<string, true>> {
    const { text, values } = together([
      this.batches.insertion(
        records.map(({ batch }) => batch),
        this.clock.now(),
      ),
      ...this.media.insertions(records.flatMap(({ originals }) => originals)),
      this.activities.insertion(records.map(({ activity }) => activity)),
    ]);
    await this.database.query(text, values);
    return new Map(records.map(({ batch }) => [batch.jobId, true]));
  }
}
