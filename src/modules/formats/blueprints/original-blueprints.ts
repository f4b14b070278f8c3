import { MEDIA_TYPES } from '../format-settings.js';
import type { Blueprint } from './blueprint.js';

/** What was uploaded, as it is. */
export const ORIGINAL_BLUEPRINTS: readonly Blueprint[] = MEDIA_TYPES.map((type) => ({
  key: `original-${type}`,
  name: `Original ${type}`,
  converter: 'original',
  usage: 'transcoding',
  settings: { mediaTypes: [type], useInPlayer: true },
}));
