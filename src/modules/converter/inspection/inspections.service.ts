import path from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../../../shared/errors.js';
import { readSvgSize } from '../../../shared/svg-size.js';
import { LimitedThread, ThreadLimitExceeded } from '../../../shared/threads/index.js';
import { isTextDocument, MissingProgram, parseProbe, pictureRateOf, SOURCE } from '../../formats/index.js';
import {
  type FileDescription,
  FileDescriptionsRepository,
  type InspectedFile,
  isTextFile,
  type MediaItem,
  MediaItemsRepository,
  TrackConversionsService,
} from '../../media/index.js';
import { DESCRIPTION_LIMITS, MediaProberService, mediaFacts } from '../execution/media-prober.service.js';
import { readHead } from '../execution/read-picture-header.js';
import { type InspectedSource, SourceInspectorService } from '../execution/source-inspector.service.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import { ToolFailure } from '../tools/tool-run.js';
import { FileExcerptService, MAX_WHOLE_BYTES } from './file-excerpt.service.js';

/** The time for fetching and reading one file. The programs have shorter limits of their own, so only a slow storage reaches it. */
const MAX_MS = 120_000;
/** A PDF of this size takes less than a second to scan; larger ones are not scanned, and count as scripted. */
const MAX_SCAN_MS = 10_000;
/** A piece of the file and a slice of its objects, several times. */
const MAX_SCAN_HEAP_MB = 256;

/** The root of a drawing is at its beginning, behind comments of the program that made it. */
const SVG_HEAD_BYTES = 65_536;

const GONE = 'The file no longer exists in the storage.';

/**
 * Finds out what an uploaded file is, once for each version of its object, and stores it with the media item (contract section 13.1). Time and
 * memory are bounded. A file that cannot be read gets a description with the problem.
 */
@Injectable()
export class InspectionsService implements OnApplicationShutdown {
  private readonly scripts = new LimitedThread<string, boolean>(new URL('./scan-pdf.thread.js', import.meta.url), {
    maxMs: MAX_SCAN_MS,
    maxHeapMb: MAX_SCAN_HEAP_MB,
  });

  constructor(
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
    const isRecorded = await this.descriptions.record(item, found);
    if (!isRecorded && found.webVttKey !== null && found.webVttKey !== item.webVttKey) await this.conversions.discard(found.webVttKey);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.scripts.end();
  }

  private async read(item: MediaItem): Promise<InspectedFile> {
    try {
      if (isTextFile(item)) return await this.readTextTrack(item);
      if (isPdf(item)) return await this.readPdf(item);
      return { description: await this.readMedia(item), scripted: null, webVttKey: null };
    } catch (error) {
      return { description: { ...describe(item), problem: problemOf(error) }, scripted: isPdf(item) ? true : null, webVttKey: null };
    }
  }

  /** A track was converted when its success was reported; subtitles of earlier versions of the service were not. */
  private async readTextTrack(item: MediaItem): Promise<InspectedFile> {
    const content = item.fileExtension;
    if (item.webVttKey !== null) return { description: { ...describe(item), content }, scripted: null, webVttKey: item.webVttKey };
    const { webVttKey, problem } = await this.conversions.convert(item, { lenient: true });
    return { description: { ...describe(item), content, problem: problem?.message ?? null }, scripted: null, webVttKey };
  }

  /** The size of a PDF is that of its first page in points, if pdfinfo is installed. */
  private async readPdf(item: MediaItem): Promise<InspectedFile> {
    const description = { ...describe(item), content: 'pdf' };
    if (item.fileSize > MAX_WHOLE_BYTES) return { description, scripted: true, webVttKey: null };
    return await this.withFile(item, async (file) => {
      const scripted = await this.hasScripts(path.join(file.folder, SOURCE), item.customerId);
      return { description: { ...description, ...(await this.prober.measurePage(file)) }, scripted, webVttKey: null };
    });
  }

  private async hasScripts(file: string, customerId: number): Promise<boolean> {
    try {
      return await this.scripts.run(file, customerId);
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) return true;
      throw error;
    }
  }

  /** Office documents are only read when they are converted, which adds their pages (RenditionMakerService). */
  private async readMedia(item: MediaItem): Promise<FileDescription> {
    const { type: mediaType } = item;
    if (mediaType === 'document' && isTextDocument(item.fileExtension) && item.fileSize <= MAX_WHOLE_BYTES) {
      return await this.withFile(item, async (file) => await this.readText(item, { ...file, mediaType }));
    }
    if (mediaType === 'video' || mediaType === 'audio') {
      return await this.withFile(item, async (file) => await this.readStreams(item, { ...file, mediaType }));
    }
    if (mediaType !== 'image' || item.fileSize > MAX_WHOLE_BYTES) return describe(item);
    return await this.withFile(item, async (file) => await this.readPicture(item, { ...file, mediaType }));
  }

  private async readStreams(item: MediaItem, source: InspectedSource): Promise<FileDescription> {
    const media = await this.prober.describe(source);
    if (!media) throw await this.sources.unreadable(source);
    const probed = parseProbe(JSON.stringify(media));
    const rate = pictureRateOf(probed);
    const isWhole = item.fileSize <= MAX_WHOLE_BYTES;
    const times = isWhole ? await this.prober.measureTimes({ ...source, probed, limits: DESCRIPTION_LIMITS }) : null;
    const facts = mediaFacts(probed, times ?? []);
    return { ...describe(item), ...facts, media, ...(rate && { pictureRate: rate }), ...(times && { times }) };
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

  private async withFile<Result>(item: MediaItem, read: (file: Omit<InspectedSource, 'mediaType'>) => Promise<Result>): Promise<Result> {
    const signal = AbortSignal.timeout(MAX_MS);
    return await this.folders.using(async (folder) => {
      if (!(await this.excerpts.fetch(item, folder, signal))) throw new UnreadableFile(GONE);
      return await read({ folder, file: SOURCE, fileExtension: item.fileExtension, signal });
    });
  }
}

/** A file of which nothing more can be found out; the message is a sentence for its owner. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

const isPdf = ({ fileExtension }: MediaItem): boolean => fileExtension === 'pdf';

/** What is known without the file. */
const describe = ({ fileSize: size, width, height, duration, codec }: MediaItem): FileDescription => ({
  ...{ version: 1, problem: null, content: null, size, width, height, duration, codec, media: null },
});

/** The problem that every further attempt would have; null: a program is missing here. Throws an error that may go away. */
function problemOf(error: unknown): string | null {
  if (error instanceof MissingProgram) return null;
  if (error instanceof ToolFailure) return error.reason === 'missing' ? null : `The file cannot be read: ${error.message}`;
  if (error instanceof UnreadableFile) return error.message;
  if (error instanceof DomainError && error.kind !== 'unavailable') return error.detail;
  throw error;
}
