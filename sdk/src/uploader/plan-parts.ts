const MIB = 1024 * 1024;

/** Smaller files are sent in one request. */
export const MULTIPART_THRESHOLD = 8 * MIB;
/** S3's maximum object size, 5 TiB. */
export const MAX_FILE_SIZE = 5 * 1024 ** 4;

/** S3's minimum part size, except for the last part. */
const MIN_PART_SIZE = 5 * MIB;
/** A failed part is sent again, so large parts cost more; parts are larger only if their number would exceed the maximum. */
const PREFERRED_MAX_PART_SIZE = 64 * MIB;
/** Each part costs two round trips (the browser sends a preflight request first), so their number is kept near this. */
const PREFERRED_MAX_PARTS = 1_000;
/** S3's maximum number of parts. */
const MAX_PARTS = 10_000;

export interface PartPlan {
  readonly size: number;
  readonly partSize: number;
  readonly count: number;
}

/** Plans the parts of a file of `size` bytes. The same size always gives the same plan, which resuming after a reload needs. */
export function planParts(size: number): PartPlan {
  const comfortable = Math.min(PREFERRED_MAX_PART_SIZE, wholeMib(size / PREFERRED_MAX_PARTS));
  const partSize = Math.max(MIN_PART_SIZE, comfortable, wholeMib(size / MAX_PARTS));
  return { size, partSize, count: Math.max(1, Math.ceil(size / partSize)) };
}

/** The byte range of a part; parts are numbered from 1. */
export function partRange({ size, partSize }: PartPlan, number: number): { readonly start: number; readonly end: number } {
  const start = (number - 1) * partSize;
  return { start, end: Math.min(size, start + partSize) };
}

const wholeMib = (bytes: number): number => Math.ceil(bytes / MIB) * MIB;
