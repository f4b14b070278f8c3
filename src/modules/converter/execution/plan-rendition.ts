import {
  type BuiltMetadata,
  buildInvocation,
  buildXmp,
  getConverter,
  type Invocation,
  type InvocationRequest,
  type SourceFacts,
  sourceFactsOf,
  UNKNOWN_FACTS,
} from '../../formats/index.js';
import type { Recipe } from './recipe-reader.service.js';

/** What a rendition depends on beside its recipe and its source. */
type Workplace = Pick<InvocationRequest, 'folder' | 'programs' | 'tools' | 'watermark'> & {
  /** The metadata that is written into images. */
  readonly tags: BuiltMetadata['tags'];
};

/** Plans what is run to make a rendition. Transcodings run it, and `GET /v5/format/:id/explain` explains it. */
export const planRendition = (recipe: Recipe, source: SourceFacts, { tags, ...place }: Workplace): Invocation =>
  buildInvocation({
    ...{ converter: recipe.format.converter, command: recipe.command, settings: recipe.format.settings },
    ...{ customerTimecode: recipe.customer.burnTimecode, hasStreamedSounds: recipe.hasStreamedSounds, source, ...place },
    xmp: place.programs.includes('exiftool') ? null : buildXmp(tags),
  });

/** Returns what the command of a rendition depends on of its source, if it is known without reading it; null: the source has to be inspected. */
export function knownSource({ format, source, fileDescription }: Recipe): SourceFacts | null {
  const item = { mediaType: source.type, fileExtension: source.fileExtension };
  const isAny = getConverter(format.converter).source === 'any';
  return isAny ? { ...item, ...UNKNOWN_FACTS } : sourceFactsOf(item, fileDescription);
}
