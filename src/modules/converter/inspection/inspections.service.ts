import path from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { DomainError } from '../../../shared/errors.js';
import { EventOutboxService } from '../../../shared/events/index.js';
import { readSvgSize } from '../../../shared/svg-size.js';
import { LimitedThread, ThreadLimitExceeded } from '../../../shared/threads/index.js';
import { isTextDocument, MissingProgram, parseProbe, pictureRateOf, SOURCE } from '../../formats/index.js';
import {
  type FileDescription,
  FileDescriptionsRepository,
  type FileProblem,
  type InspectedFile,
  isTextFile,
  type MeasuredTimes,
  type MediaItem,
  MediaItemsRepository,
  type MediaStreams,
  problemOf,
  TrackConversionsService,
} from '../../media/index.js';
import { DESCRIPTION_LIMITS, MediaProberService, mediaFacts } from '../execution/media-prober.service.js';
import { readHead } from '../execution/read-picture-header.js';
import { repairAvi } from '../execution/repair-avi.js';
import { type InspectedSource, NOUNS, SourceInspectorService } from '../execution/source-inspector.service.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import { ToolFailure } from '../tools/tool-run.js';
import { FileExcerptService, MAX_WHOLE_BYTES } from './file-excerpt.service.js';
import { cutOff, EMPTY, encrypted, findProblem } from './problems/find-problem.js';
import type { PdfScan } from './scan-pdf.thread.js';

/** The time for fetching and reading one file. The programs have shorter limits of their own, so only a slow storage reaches it. */
const MAX_MS = 120_000;
/** A PDF of this size takes less than a second to scan; larger ones are not scanned, and count as scripted. */
const MAX_SCAN_MS = 10_000;
/** A piece of the file and a slice of its objects, several times. */
const MAX_SCAN_HEAP_MB = 256;

/** The root of a drawing is at its beginning, behind comments of the program that made it. */
const SVG_HEAD_BYTES = 65_536;

const GONE = 'The file no longer exists in the storage. Upload it again.';

/**
 * Finds out what an uploaded file is, once for each version of its object, and stores it with the media item (contract section 13.1). Time and
 * memory are bounded. A file that cannot be read gets a description with the problem.
 */
@Injectable()
export class InspectionsService implements OnApplicationShutdown {
  private readonly scans = new LimitedThread<PdfScan, boolean | readonly number[] | null>(
    new URL('./scan-pdf.thread.js', import.meta.url),
    {
      maxMs: MAX_SCAN_MS,
      maxHeapMb: MAX_SCAN_HEAP_MB,
    },
  );

  constructor(
    private readonly database: Database,
    private readonly events: EventOutboxService,
    private readonly items: MediaItemsRepository,
    private readonly descriptions: FileDescriptionsRepository,
    private readonly conversions: TrackConversionsService,
    private readonly folders: WorkFoldersService,
    private readonly excerpts: FileExcerptService,
    private readonly sources: SourceInspectorService,
    private readonly prober: MediaProberService,
  ) {}

  /** Inspects an item, unless that has been done. Repeating it is harmless. Throws if storage, disk or database fail; then try again later. */
  async inspect(mediaId: number): Promise<void> {
    const [item] = await this.items.findMany([mediaId]);
    if (item?.status !== 'successful' || item.fileDescription !== null) return;
    const found = await this.read(item);
    const isRecorded = await this.database.transaction(async () => {
      if (!(await this.descriptions.record(item, found))) return false;
      const problem = problemOf({ fileDescription: found.description });
      if (problem) await this.publishProblem(item, problem);
      return true;
    });
    if (!isRecorded && found.webVttKey !== null && found.webVttKey !== item.webVttKey) await this.conversions.discard(found.webVttKey);
  }

  private async publishProblem({ id: mediaId, mediaContainerId, customerId }: MediaItem, { code, message }: FileProblem): Promise<void> {
    const payload = { mediaContainerId, mediaId, code, message };
    await this.events.publish({ name: 'event:mediaProblem', customerId, method: 'create', payload });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.scans.end();
  }

  private async read(item: MediaItem): Promise<InspectedFile> {
    if (isTextFile(item)) return await this.readTextTrack(item).catch((error: unknown) => withProblem(item, unreadable(error)));
    if (item.fileSize === 0) return withProblem(item, EMPTY);
    try {
      return await this.withFile(item, async (file) => await this.readFile(item, file));
    } catch (error) {
      return withProblem(item, unreadable(error));
    }
  }

  /** Reads what can be read of a file that is cut off, because players show it. */
  private async readFile(item: MediaItem, file: FetchedFile): Promise<InspectedFile> {
    const mediaType = item.type === 'watermark' ? 'image' : item.type;
    const problem = await findProblem({ name: path.join(file.folder, file.file), mediaType, fileExtension: item.fileExtension });
    if (problem && problem.code !== 'cut_off') return withProblem(item, problem);
    try {
      const found = isPdf(item)
        ? await this.readPdf(item, file)
        : { description: await this.readMedia(item, { ...file, mediaType }), scripted: null, webVttKey: null };
      return problem ? { ...found, description: { ...found.description, ...problemFields(problem) } } : found;
    } catch (error) {
      if (!problem) throw error;
      unreadable(error); // throws if trying again may help
      return withProblem(item, problem);
    }
  }

  /** A track was converted when its success was reported; subtitles of earlier versions of the service were not. */
  private async readTextTrack(item: MediaItem): Promise<InspectedFile> {
    const content = item.fileExtension;
    if (item.webVttKey !== null) return { description: { ...describe(item), content }, scripted: null, webVttKey: item.webVttKey };
    const { webVttKey, problem } = await this.conversions.convert(item, { lenient: true });
    const fields = problem && problemFields({ code: 'source_unreadable', message: problem.message });
    return { description: { ...describe(item), content, ...fields }, scripted: null, webVttKey };
  }

  /** The size of a PDF is that of its first page in points, if pdfinfo is installed, which does not know of other units. */
  private async readPdf(item: MediaItem, file: FetchedFile): Promise<InspectedFile> {
    const description = { ...describe(item), content: 'pdf' };
    if (item.fileSize > MAX_WHOLE_BYTES) return { description, scripted: true, webVttKey: null };
    const scripted = await this.hasScripts(path.join(file.folder, SOURCE), item.customerId);
    const units = await this.readPageUnits(path.join(file.folder, SOURCE), item.customerId);
    const page = await this.prober.measurePage(file, units?.[0]);
    const isLocked = page === null && (await this.prober.needsPassword(file));
    const known = { ...description, ...page, ...(units && { pageUnits: units }), ...(isLocked && problemFields(encrypted('document'))) };
    return { description: known, scripted, webVttKey: null };
  }

  /** A PDF that cannot be scanned within the limits counts as scripted. */
  private async hasScripts(file: string, customerId: number): Promise<boolean> {
    return (await this.scan({ file, wanted: 'scripts' }, customerId, true)) === true;
  }

  private async readPageUnits(file: string, customerId: number): Promise<readonly number[] | null> {
    const units = await this.scan({ file, wanted: 'units' }, customerId, null);
    return Array.isArray(units) ? units : null;
  }

  private async scan<Otherwise>(scan: PdfScan, customerId: number, otherwise: Otherwise) {
    try {
      return await this.scans.run(scan, customerId);
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) return otherwise;
      throw error;
    }
  }

  /** Office documents are only read when they are converted, which adds their pages (RenditionMakerService). */
  private async readMedia(item: MediaItem, source: InspectedSource): Promise<FileDescription> {
    const isWhole = item.fileSize <= MAX_WHOLE_BYTES;
    if (source.mediaType === 'document') {
      return isWhole && isTextDocument(item.fileExtension) ? await this.readText(item, source) : describe(item);
    }
    if (source.mediaType === 'image') return isWhole ? await this.readPicture(item, source) : describe(item);
    return await this.readStreams(item, source);
  }

  private async readStreams(item: MediaItem, source: InspectedSource): Promise<FileDescription> {
    await repairAvi(path.join(source.folder, source.file));
    const media = await this.prober.describe(source);
    if (!media) throw await this.sources.unreadable(source);
    const probed = parseProbe(JSON.stringify(media));
    const rate = pictureRateOf(probed);
    const isWhole = item.fileSize <= MAX_WHOLE_BYTES;
    const times = isWhole ? await this.prober.measureTimes({ ...source, probed, limits: DESCRIPTION_LIMITS }) : null;
    const facts = mediaFacts(probed, times ?? []);
    const problem = times && isShortened(media, times) && problemFields(cutOff(NOUNS[source.mediaType]));
    return { ...describe(item), ...facts, media, ...(rate && { pictureRate: rate }), ...(times && { times }), ...problem };
  }

  private async readText(item: MediaItem, original: InspectedSource): Promise<FileDescription> {
    const { separator } = (await this.sources.inspect(original)).source;
    return { ...describe(item), content: item.fileExtension, ...(separator !== undefined && { separator }) };
  }

  private async readPicture(item: MediaItem, original: InspectedSource): Promise<FileDescription> {
    const drawing = readSvgSize((await readHead(path.join(original.folder, original.file), SVG_HEAD_BYTES)).toString());
    if (drawing) return { ...describe(item), ...drawing, content: 'svg' };
    const { source, media } = await this.sources.inspect(original);
    const colorProfile = await this.prober.readProfile(original);
    return { ...describe(item), ...media, content: source.fileExtension, ...(colorProfile && { colorProfile }) };
  }

  private async withFile<Result>(item: MediaItem, read: (file: FetchedFile) => Promise<Result>): Promise<Result> {
    const signal = AbortSignal.timeout(MAX_MS);
    return await this.folders.using(async (folder) => {
      if (!(await this.excerpts.fetch(item, folder, signal))) throw new UnreadableFile(GONE);
      return await read({ folder, file: SOURCE, fileExtension: item.fileExtension, signal });
    });
  }
}

type FetchedFile = Omit<InspectedSource, 'mediaType'>;

/** A file of which nothing more can be found out; the message is a sentence for its owner. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

const isPdf = ({ fileExtension }: MediaItem): boolean => fileExtension === 'pdf';

/** What is known without the file. */
const describe = ({ fileSize: size, width, height, duration, codec }: MediaItem): FileDescription => ({
  ...{ version: 1, problem: null, content: null, size, width, height, duration, codec, media: null },
});

/** A FLAC states in its header how long it is, and nothing at its end. */
const isShortened = ({ format }: MediaStreams, times: readonly MeasuredTimes[]): boolean =>
  format.format_name === 'flac' && times.length > 0 && Math.max(...times.map(({ end }) => end)) < Number(format.duration) - 1;

const problemFields = ({ code: problemCode, message: problem }: FileProblem) => ({ problem, problemCode });

/** A file of which nothing is known but its problem; null: nothing at all. A PDF that was not scanned counts as scripted. */
const withProblem = (item: MediaItem, problem: FileProblem | null): InspectedFile => ({
  description: { ...describe(item), ...(problem && problemFields(problem)) },
  ...{ scripted: isPdf(item) ? true : null, webVttKey: null },
});

const DAMAGED = 'The file cannot be read: it is damaged, or of a type that is not supported. Upload it again, or in another format.';
const TOO_SLOW = 'The file is too complex to be read within the limits of time and memory. Upload a simpler or shorter one.';

/** The problem that every further attempt would have; null: a program is missing here. Throws an error that may go away. */
function unreadable(error: unknown): FileProblem | null {
  const code = 'source_unreadable';
  if (error instanceof MissingProgram) return null;
  if (error instanceof ToolFailure && error.reason === 'missing') return null;
  if (error instanceof ToolFailure && error.reason !== 'killed') return { code, message: error.reason === 'exit' ? DAMAGED : TOO_SLOW };
  if (error instanceof UnreadableFile) return { code, message: error.message };
  if (error instanceof DomainError && error.kind !== 'unavailable') return { code, message: error.detail };
  throw error;
}
