import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { ItemStatus } from './media-item.entity.js';

/** All of them are locked, because the status of one that is being reported is not told before its transaction ends. */
const FIND_SETTLED = `SELECT id, status, test FROM media_items WHERE customer_id = $1 AND media_container_id = $2 ORDER BY id FOR SHARE`;

/** Which files are there, for who wants to miss none and listens to event:s3success since before. */
@Injectable()
export class ArrivedFiles {
  constructor(private readonly database: Database) {}

  /**
   * The first file of a container that is there, null: none is. It waits for the transactions in which files are being reported: after it, each
   * file either is found here, or its event is yet to be published.
   */
  async findFirst(customerId: number, containerId: number): Promise<number | null> {
    const find = async () =>
      await this.database.query<{ id: number; status: ItemStatus; test: boolean }>(FIND_SETTLED, [customerId, containerId]);
    const { rows } = await this.database.outsideTransaction(find); // the locks end with the statement
    return rows.find(({ status, test }) => status === 'successful' && !test)?.id ?? null;
  }
}
