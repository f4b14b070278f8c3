import { open } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { detectImageType, isDocument, isTakenDocument, type MediaType, type SourceFacts } from '../../../formats/index.js';
import type { MediaFacts } from '../../../media/index.js';
import { executionErrors } from '../execution.errors.js';
import { mediaFacts, NO_FACTS } from '../probe/media-facts.js';
import { MediaProber } from '../probe/media-prober.js';
import type { ProbedMedia } from '../probe/parse-probe.js';
import { readHead } from '../probe/read-head.js';
import { isZipBomb } from './is-zip-bomb.js';
import { nameContent } from './name-content.js';
import { readRotation } from './read-orientation.js';

/** An original that lies in the job's folder. */
export interface InspectedSource {
  readonly folder: string;
  readonly file: string;
  readonly mediaType: MediaType;
  /** As its name says. */
  readonly fileExtension: string;
  readonly signal: AbortSignal;
}

/** What is known of an original: for those who make something of it, and for its media item. */
export interface Inspection {
  readonly source: SourceFacts;
  readonly media: MediaFacts;
}

/** Images that ffprobe is given. Of the others nobody knows the size. */
const MEASURED_IMAGES = new Set(['jpg', 'png', 'gif', 'webp', 'tif', 'bmp']);
const NOUNS: Readonly<Record<MediaType, string>> = { video: 'video', audio: 'audio', image: 'picture', document: 'document' };
/** Of a file that is not measured. */
export const UNKNOWN_FACTS = {
  width: null,
  height: null,
  rotation: null,
  pixelAspect: null,
  duration: null,
  frameRate: null,
  hasAudio: null,
  hasVideo: null,
} as const;

/** Finds out what an original is, whatever its name says. */
@Injectable()
export class SourceInspector {
  constructor(private readonly prober: MediaProber) {}

  /** Throws `source_unreadable`, with a sentence that says what it is instead. */
  async inspect(source: InspectedSource): Promise<Inspection> {
    switch (source.mediaType) {
      case 'image':
        return await this.inspectImage(source);
      case 'document':
        return await this.inspectDocument(source);
      default:
        return await this.inspectMedia(source);
    }
  }

  /** What is wrong with it is a guess by its first bytes. */
  async unreadable({ folder, file, mediaType }: InspectedSource): Promise<Error> {
    const name = nameContent(await readHead(path.join(folder, file)));
    const reason = name === null ? 'it is damaged, or of a kind that is not taken' : `it is ${name}`;
    return executionErrors.source_unreadable(`The original is no ${NOUNS[mediaType]} that can be read: ${reason}.`);
  }

  private async inspectMedia(source: InspectedSource): Promise<Inspection> {
    const { folder, file, mediaType, fileExtension, signal } = source;
    const probed = await this.prober.probe({ folder, file, holds: 'media', demuxer: null, signal });
    if (probed === null || (probed.videoCodec === null && probed.audioCodec === null)) throw await this.unreadable(source);
    return { source: { mediaType, fileExtension, ...streamFacts(probed) }, media: mediaFacts(probed, 'media') };
  }

  private async inspectImage(source: InspectedSource): Promise<Inspection> {
    const { folder, file, mediaType, signal } = source;
    const fileExtension = detectImageType(await readHead(path.join(folder, file)));
    if (fileExtension === null) throw await this.unreadable(source);
    if (!MEASURED_IMAGES.has(fileExtension)) return { source: { mediaType, fileExtension, ...UNKNOWN_FACTS }, media: NO_FACTS };
    const probed = await this.prober.probe({ folder, file, holds: 'image', demuxer: null, signal });
    if (!probed?.width || !probed.height) {
      throw executionErrors.source_unreadable('The picture cannot be read: it is damaged, or has more pixels than are taken.');
    }
    const turned = { ...probed, rotation: await rotationOf(path.join(folder, file), fileExtension) };
    return { source: { mediaType, fileExtension, ...streamFacts(turned), duration: null }, media: mediaFacts(turned, 'image') };
  }

  private async inspectDocument(source: InspectedSource): Promise<Inspection> {
    const { folder, file, mediaType, fileExtension } = source;
    const name = path.join(folder, file);
    if (isTakenDocument(fileExtension) && !isDocument(fileExtension, await readHead(name))) throw await this.unreadable(source);
    if (await isZipBomb(name)) throw executionErrors.source_unreadable('The document cannot be opened: it would fill the memory.');
    return { source: { mediaType, fileExtension, ...UNKNOWN_FACTS }, media: NO_FACTS };
  }
}

const streamFacts = ({ width, height, rotation, pixelAspect, duration, frameRate, audioCodec, videoCodec }: ProbedMedia) => ({
  ...{ width, height, rotation, pixelAspect, duration, frameRate },
  hasAudio: audioCodec !== null,
  hasVideo: videoCodec !== null,
});

async function rotationOf(name: string, type: string): Promise<number> {
  if (type !== 'jpg' && type !== 'tif') return 0;
  const file = await open(name);
  return await readRotation(file, type).finally(async () => await file.close());
}
