import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { runInThread } from '../../../shared/threads/index.js';
import { hasPdfScripts } from './has-pdf-scripts.js';
import { readPageUnits } from './read-page-units.js';

/** Large pieces, because every piece costs a little, and not so large that many of them would matter. */
const PIECE_BYTES = 1_048_576;

/** What is looked for in a PDF, each with limits of its own. */
export interface PdfScan {
  readonly file: string;
  readonly wanted: 'scripts' | 'units';
}

runInThread(async ({ file, wanted }: PdfScan): Promise<boolean | readonly number[] | null> => {
  if (wanted === 'units') return readPageUnits(await readFile(file));
  return await hasPdfScripts(createReadStream(file, { highWaterMark: PIECE_BYTES }));
});
