import { DomainError } from '../../shared/errors.js';
import { SeriesCounter, seriesByValue } from '../../shared/series-counter.js';
import { uploadErrors } from './uploads.errors.js';

const items = new SeriesCounter({
  name: 'upload_items_total',
  help: 'Files of uploads, by outcome; unsuccessful: the batch was completed without them; reaped: deleted without a report; abandoned: removed by its sender.',
  labels: ['outcome'],
});

/** The outcomes of the files of uploads. */
export const uploadItems = seriesByValue(items, 'outcome', ['prepared', 'refused', 'successful', 'unsuccessful', 'reaped', 'abandoned']);

const refusals = new SeriesCounter({
  name: 'upload_reports_refused_total',
  help: 'Reports of uploaded files that were refused, by the code of the error.',
  labels: ['code'],
});
for (const code of Object.keys(uploadErrors)) refusals.series({ code });

/** Counts a report that ended with an error. */
export function countRefusedReport(error: unknown): void {
  refusals.series({ code: error instanceof DomainError ? error.code : 'internal' }).count += 1;
}
