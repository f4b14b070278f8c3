const MIB = 1024 * 1024;

/** Smaller files are put in one request. */
export const MULTIPART_FROM = 8 * MIB;
/** What S3 takes as one object: 5 TiB. */
export const LARGEST_FILE = 5 * 1024 ** 4;

/** S3 takes no smaller part, except the last. */
const SMALLEST_PART = 5 * MIB;
/** A part that fails is sent again, so a large one costs more; beyond this only the limit on their number makes them grow. */
const COMFORTABLE_PART = 64 * MIB;
/** Each part costs two round trips (the browser asks the storage for leave first), so there are not many more of them than this. */
const COMFORTABLE_COUNT = 1_000;
/** S3's limit. */
const MOST_PARTS = 10_000;

/** @typedef {{ size: number, partSize: number, count: number }} PartPlan */

/**
 * How a file is cut. The same size is always cut in the same way: an upload that goes on after a reload depends on it.
 * @param {number} size bytes
 * @returns {PartPlan}
 */
export function planParts(size) {
  const comfortable = Math.min(COMFORTABLE_PART, wholeMib(size / COMFORTABLE_COUNT));
  const partSize = Math.max(SMALLEST_PART, comfortable, wholeMib(size / MOST_PARTS));
  return { size, partSize, count: Math.max(1, Math.ceil(size / partSize)) };
}

/**
 * Where a part begins and ends; parts are numbered from 1.
 * @param {PartPlan} plan
 * @param {number} number
 */
export function partRange({ size, partSize }, number) {
  const start = (number - 1) * partSize;
  return { start, end: Math.min(size, start + partSize) };
}

/** @param {number} bytes */
const wholeMib = (bytes) => Math.ceil(bytes / MIB) * MIB;
