import { createReadStream } from 'node:fs';
import { runInThread } from '../../../shared/threads/index.js';
import { hasPdfScripts } from './has-pdf-scripts.js';

/** Large pieces, because every piece costs a little, and not so large that many of them would matter. */
const PIECE_BYTES = 1_048_576;

runInThread(async (file: string): Promise<boolean> => await hasPdfScripts(createReadStream(file, { highWaterMark: PIECE_BYTES })));
