import { MEDIA_TYPES } from '../format-settings.js';
import { allow, type Blueprint } from './blueprint.js';

/** For every media type: the same file once more, and what the operator's own tools make. */
export const ANY_MEDIA_BLUEPRINTS: readonly Blueprint[] = [
  {
    key: 'copy',
    name: 'Copy',
    converter: 'copy',
    usage: 'transcoding',
    settings: { mediaTypes: MEDIA_TYPES, useInPlayer: true },
  },
  {
    key: 'tool',
    name: 'Tool of the operator',
    converter: 'cli',
    usage: 'transcoding',
    settings: {
      mediaTypes: MEDIA_TYPES,
      useInPlayer: false,
      parameters: {},
      allowedParameters: allow(MEDIA_TYPES, { tool: '^[a-z][a-z0-9-]{0,31}$' }),
    },
  },
];
