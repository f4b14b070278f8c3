import { ANY_MEDIA_BLUEPRINTS } from './any-media-blueprints.js';
import { AUDIO_BLUEPRINTS } from './audio-blueprints.js';
import type { Blueprint } from './blueprint.js';
import { DOCUMENT_BLUEPRINTS } from './document-blueprints.js';
import { IMAGE_BLUEPRINTS } from './image-blueprints.js';
import { ORIGINAL_BLUEPRINTS } from './original-blueprints.js';
import { VIDEO_BLUEPRINTS } from './video-blueprints.js';

/**
 * The formats that the service brings along. None is generated of its own accord: that costs the operator's processor time and storage for
 * every upload, and its programs may not be installed. A customer who wants previews makes a format of one with `autoGenerate`.
 */
export const BLUEPRINTS: readonly Blueprint[] = [
  ...ORIGINAL_BLUEPRINTS,
  ...VIDEO_BLUEPRINTS,
  ...AUDIO_BLUEPRINTS,
  ...IMAGE_BLUEPRINTS,
  ...DOCUMENT_BLUEPRINTS,
  ...ANY_MEDIA_BLUEPRINTS,
];
