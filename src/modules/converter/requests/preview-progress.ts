import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { FormatReader } from '../../formats/index.js';

/** How the newest transcoding of a container into a format is doing. */
export interface FormatProgress {
  readonly formatId: number;
  /** Whether it is made to be looked at before anything else is there. */
  readonly isPreview: boolean;
  /** running: it waits for its turn, or is being made. */
  readonly status: 'running' | 'successful' | 'failed';
  /** Per cent. */
  readonly progress: number;
}

interface Row extends Omit<FormatProgress, 'isPreview'> {
  readonly mediaContainerId: number;
  readonly customerId: number;
}

const FIND_NEWEST = `SELECT DISTINCT ON (media_container_id, format_id) media_container_id AS "mediaContainerId",
    customer_id AS "customerId", format_id AS "formatId", status, coalesce(progress, 0) AS progress
  FROM activities WHERE media_container_id = ANY($1::int[]) AND type = 'transcoding' AND format_id IS NOT NULL
  ORDER BY media_container_id, format_id, sequence DESC`;

/** What those who wait for media are told: read fresh every time, in one statement for all that ask at the same moment. */
@Injectable()
export class PreviewProgress {
  /** The formats into which a container was transcoded lately, one entry each; null: none. */
  readonly find: (mediaContainerId: number) => Promise<readonly FormatProgress[] | null>;

  constructor(
    database: Database,
    private readonly formats: FormatReader,
  ) {
    this.find = database.batched(String, async (ids: readonly number[]) => {
      const { rows } = await database.query<Row>(FIND_NEWEST, [ids]);
      const found = await Promise.all(rows.map(async (row) => [row.mediaContainerId, await this.describe(row)] as const));
      const byContainer = new Map<string, FormatProgress[]>();
      for (const [id, progress] of found) byContainer.set(String(id), [...(byContainer.get(String(id)) ?? []), progress]);
      return byContainer;
    });
  }

  private async describe({ customerId, formatId, status, progress }: Row): Promise<FormatProgress> {
    const format = await this.formats.find(customerId, formatId);
    return { formatId, isPreview: format?.usage === 'preview', status, progress };
  }
}
