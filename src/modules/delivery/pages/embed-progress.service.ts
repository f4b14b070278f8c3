import { Injectable } from '@nestjs/common';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { type FormatProgress, PreviewProgressService } from '../../converter/index.js';
import { isForDelivery, isUsedInPlayer } from '../../formats/index.js';
import { isPicture, isPlayable, playerFormats } from '../files/choose-file.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';
import type { EmbedProgressResponse } from './embed/embed-page.dto.js';

/** Determines the state of the media of opened links. */
@Injectable()
export class EmbedProgressService {
  constructor(private readonly transcodings: PreviewProgressService) {}

  /** Returns the state; queries transcodings only if a better file can still be made. */
  async find(opened: OpenedLink): Promise<EmbedProgressResponse> {
    const isAwaited = awaitedFormats(opened).size > 0;
    return describeProgress(opened, isAwaited ? await this.transcodings.find(opened.container.id) : []);
  }
}

type Opened = Pick<OpenedLink, 'formats' | 'outstanding' | 'shownOriginal'> & { readonly link: Pick<OpenedLink['link'], 'type'> };

/** The missing formats that would be better than the files that a link has: a page waits only for these. */
function awaitedFormats(opened: Opened): ReadonlySet<number> {
  const best = bestSuitability(opened);
  const better = opened.outstanding.filter(({ usage, settings: { filetype = null } }) => {
    return suitability(opened.link.type, { extension: filetype, codec: null, isPreview: usage === 'preview' }) > best;
  });
  return new Set(better.filter((format) => isUsedInPlayer(format) && isForDelivery(format)).map(({ id }) => id));
}

/** Reports what will be ready first: previews, or else the transcoding that has progressed furthest. */
export function describeProgress(opened: Opened, transcodings: readonly FormatProgress[]): EmbedProgressResponse {
  const ids = awaitedFormats(opened);
  const awaited = transcodings.filter(({ formatId }) => ids.has(formatId));
  const running = awaited.filter(({ status }) => status === 'running');
  const previews = running.filter(({ isPreview }) => isPreview);
  const first = previews.length > 0 ? previews : running;
  const failures = running.length > 0 ? [] : awaited.filter(({ status }) => status === 'failed');
  return {
    ready: bestSuitability(opened) > 0,
    progress: first.length > 0 ? Math.max(...first.map(({ progress }) => progress)) : null,
    failed: failures.length > 0,
    reason: (failures.find(({ isPreview }) => !isPreview) ?? failures[0])?.reason ?? null,
  };
}

const bestSuitability = (opened: Opened): number =>
  Math.max(
    opened.shownOriginal?.width ? 2 : 0,
    ...playerFormats(opened).map(({ format: { usage }, item: { fileExtension: extension, codec } }) =>
      suitability(opened.link.type, { extension, codec, isPreview: usage === 'preview' }),
    ),
  );

/** A file that exists or may still be made. */
interface Candidate {
  /** Null: the same as that of the original. */
  readonly extension: string | null;
  /** Null: unknown. */
  readonly codec: string | null;
  /** Whether it is meant to be shown only until a better file is ready. */
  readonly isPreview: boolean;
}

/** How well a file shows media of a type: 2: as intended; 1: until a better file is ready; 0: not at all. */
export function suitability(type: string, { extension, codec, isPreview }: Candidate): 0 | 1 | 2 {
  if (extension === null) return isPreview ? 1 : 2;
  if (type === 'document' && mimeTypeOf(extension) !== 'application/pdf') return isPicture(extension) ? 1 : 0;
  const isShown = type === 'document' || (type === 'image' ? isPicture(extension) : isPlayable(extension, codec));
  if (!isShown) return 0;
  return isPreview ? 1 : 2;
}
