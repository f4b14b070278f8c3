import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import type { DomainError } from '../../../shared/errors.js';
import { type BulkContainerChanges, MediaContainersService } from '../../library/index.js';
import { TranscodingRequestsService } from '../transcodings/transcoding-requests.service.js';

/** One change of many media containers. */
interface BulkChange {
  /** Repeated ids count once. */
  readonly ids: readonly number[];
  /** Absent: the fields of the containers stay as they are. */
  readonly set?: Omit<BulkContainerChanges, 'flag'>;
  readonly flag?: BulkContainerChanges['flag'];
  /** The ids of the formats to make from each container. */
  readonly transcode?: readonly number[];
}

/** The result of a bulk change. */
interface BulkResult {
  readonly changed: number;
  readonly failed: { readonly id: number; readonly code: string; readonly message: string }[];
}

/** Changes many media containers, under the same rules as single changes and single transcoding requests; each completely or not at all. */
@Injectable()
export class BulkChangesService {
  constructor(
    private readonly containers: MediaContainersService,
    private readonly transcodings: TranscodingRequestsService,
    private readonly database: Database,
  ) {}

  /**
   * Changes the containers in one transaction: an error leaves all of them as they were. The containers are locked first and the quota after them, so
   * that no concurrent change is lost.
   */
  async change(caller: Caller, { ids, set, flag, transcode }: BulkChange): Promise<BulkResult> {
    const distinct = [...new Set(ids)];
    const changes: BulkContainerChanges = { ...set, flag };
    return await this.database.transaction(async () => {
      const { changeable, refused } = await this.containers.lockMany(caller, distinct, changes);
      const refusedFormats = transcode && (await this.transcodings.requestMany(caller, { ids: changeable, formatIds: transcode, flag }));
      const reasonOf = (id: number): DomainError | undefined => refused.get(id) ?? refusedFormats?.get(id);
      if (set || flag !== undefined)
        await this.containers.updateMany(
          caller,
          changeable.filter((id) => !refusedFormats?.has(id)),
          changes,
        );
      const failed = distinct.flatMap((id) => {
        const reason = reasonOf(id);
        return reason ? [{ id, code: reason.code, message: reason.detail }] : [];
      });
      return { changed: distinct.length - failed.length, failed };
    });
  }
}
