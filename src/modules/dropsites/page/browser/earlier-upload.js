import { Batch } from '@media-delivery/sdk/uploader';
import { matchFiles } from './match-files.js';
import { withId } from './picked-file.js';

/** An incomplete upload of an earlier visit. Its files must be chosen again, because a page cannot keep them over a reload. */
export class EarlierUpload {
  /**
   * @param {import('./resume-store.js').Remembered} remembered
   * @param {import('./resume-store.js').ResumeStore} store
   */
  constructor(remembered, store) {
    this.startedAt = remembered.startedAt;
    this.sender = remembered.sender;
    this.batches = remembered.batches.map(({ uploadId, completed, files }) => {
      const batch = new Batch(
        uploadId,
        files.map((file) => restored(file, store.progressOf(file.id))),
      );
      batch.isCompleted = completed;
      return batch;
    });
  }

  get files() {
    return this.batches.flatMap(({ files }) => files);
  }

  /** The files that must be chosen again. */
  get missing() {
    return this.files.filter(isMissing);
  }

  /**
   * Takes the files that belong to this upload. Returns the changed files and those that it did not contain: they are sent as new
   * ones.
   * @param {readonly import('./picked-file.js').Picked[]} picked
   */
  take(picked) {
    const known = this.files.filter((file) => !isMissing(file));
    const { found, changed, others } = matchFiles({ missing: this.missing, known }, picked);
    for (const [remembered, file] of found) remembered.file = file;
    for (const { missing } of changed) Object.assign(missing, { state: 'left-out', problem: 'The file has changed.' });
    return { found: found.size, changed: changed.map((one) => one.picked), others };
  }

  /** Leaves out the files that were not chosen again. */
  leaveOutMissing() {
    for (const file of this.missing) file.state = 'left-out';
  }
}

/** @param {import('@media-delivery/sdk/uploader').UploadFile} file */
export const isMissing = ({ isOpen, file, progress }) => isOpen && file === null && !progress.stored;

/**
 * @param {import('./resume-store.js').RememberedFile} remembered
 * @param {import('@media-delivery/sdk/uploader').Progress} progress
 */
function restored(remembered, progress) {
  const file = withId(remembered);
  file.progress = progress;
  if (progress.delivered) file.state = 'delivered';
  else if (progress.leftOut) file.state = 'left-out';
  return file;
}
