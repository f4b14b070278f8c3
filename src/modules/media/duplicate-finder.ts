import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';

/** A file to be compared with what is there. */
interface Candidate {
  readonly index: number;
  readonly fileName: string;
  readonly fileExtension: string;
  /** Bytes. */
  readonly fileSize: number;
  readonly checksum: string | null;
}

/** Candidates of one request. */
interface Comparison {
  readonly files: readonly Candidate[];
  readonly customerId: number;
  /** Tells it from others that share a statement. */
  readonly id: string;
}

/**
 * Successful originals of the customer that are the same by name, extension and size, or by checksum; the newest of each. The original is the
 * first file of its container: renditions and tracks come later. Containers in the trash (flag 1), or about to be removed, do not count.
 */
const FIND_DUPLICATES = `WITH file AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::text[], $6::bigint[], $7::text[])
      AS file (request, customer_id, index, name, extension, size, checksum)
  ), alike AS (
    SELECT file.request, file.index, i.id, i.media_container_id AS "mediaContainerId" FROM file JOIN media_items i ON i.customer_id = file.customer_id
      AND i.status = 'successful' AND i.file_name = file.name AND i.file_extension = file.extension AND i.file_size = file.size
    UNION ALL
    SELECT file.request, file.index, i.id, i.media_container_id FROM file
      JOIN media_containers c ON c.customer_id = file.customer_id AND c.checksum = file.checksum
      JOIN media_items i ON i.media_container_id = c.id AND i.status = 'successful'
  )
  SELECT DISTINCT ON (request, index) request, index, "mediaContainerId" FROM alike
  WHERE EXISTS (SELECT FROM media_containers c WHERE c.id = "mediaContainerId" AND c.flag <> 1 AND NOT c.doomed)
    AND NOT EXISTS (SELECT FROM media_items earlier WHERE earlier.media_container_id = "mediaContainerId" AND earlier.id < alike.id)
  ORDER BY request, index, id DESC`;

/** Finds files that are there already; requests of the same moment share a statement. */
@Injectable()
export class DuplicateFinder {
  private readonly findAlike: (comparison: Comparison) => Promise<Map<number, number> | null>;

  constructor(private readonly database: Database) {
    this.findAlike = database.batched(
      ({ id }: Comparison) => id,
      async (comparisons) => await this.findAlikeOf(comparisons),
    );
  }

  /** For the files that the customer has already: index → media container. */
  async find(customerId: number, files: readonly Candidate[]): Promise<Map<number, number>> {
    if (files.length === 0) return new Map();
    return (await this.findAlike({ customerId, files, id: randomUUID() })) ?? new Map();
  }

  private async findAlikeOf(comparisons: readonly Comparison[]): Promise<Map<string, Map<number, number>>> {
    const rows = comparisons.flatMap(({ files, ...request }) => files.map((file) => ({ ...request, ...file })));
    const { rows: found } = await this.database.query<{ request: string; index: number; mediaContainerId: number }>(FIND_DUPLICATES, [
      rows.map(({ id }) => id),
      rows.map(({ customerId }) => customerId),
      rows.map(({ index }) => index),
      rows.map(({ fileName }) => fileName),
      rows.map(({ fileExtension }) => fileExtension),
      rows.map(({ fileSize }) => fileSize),
      rows.map(({ checksum }) => checksum),
    ]);
    const answers = new Map(comparisons.map(({ id }) => [id, new Map<number, number>()]));
    for (const { request, index, mediaContainerId } of found) answers.get(request)?.set(index, mediaContainerId);
    return answers;
  }
}
