import type { FormatProgress } from '../../../converter/index.js';
import { isForDelivery, isUsedInPlayer, playerFormats } from '../../files/choose-format.js';
import type { OpenedLink } from '../../gate/delivery-gate.js';
import { suitability } from './suitability.js';

/** What there is to see of a link, and what is still to come. */
export interface Outlook {
  /** Whether there is something to show. */
  readonly ready: boolean;
  /** Per cent of what is waited for: anything to show, or where there is only a preview, better; null: nothing is under way. */
  readonly progress: number | null;
  /** What was waited for could not be made. */
  readonly failed: boolean;
  /** Why, as a sentence for viewers; null: it has not failed. */
  readonly reason: string | null;
}

type Opened = Pick<OpenedLink, 'formats' | 'outstanding'> & { readonly link: Pick<OpenedLink['link'], 'type'> };

/** The formats that are still missing and would be better than what a link has to show: only for these does a page wait. */
export function awaitedFormats(opened: Opened): ReadonlySet<number> {
  const best = bestSuitability(opened);
  const better = opened.outstanding.filter(({ usage, settings: { filetype = null } }) => {
    return suitability(opened.link.type, { extension: filetype, codec: null, isPreview: usage === 'preview' }) > best;
  });
  return new Set(better.filter((format) => isUsedInPlayer(format) && isForDelivery(format)).map(({ id }) => id));
}

/** What comes first counts: previews, then the one that is nearest to its end. */
export function outlookOf(opened: Opened, transcodings: readonly FormatProgress[]): Outlook {
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
    0,
    ...playerFormats(opened).map(({ format: { usage }, item: { fileExtension: extension, codec } }) =>
      suitability(opened.link.type, { extension, codec, isPreview: usage === 'preview' }),
    ),
  );
