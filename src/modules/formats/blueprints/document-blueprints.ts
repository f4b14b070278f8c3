import { allow, type Blueprint } from './blueprint.js';
import { QUALITY } from './patterns.js';

export const DOCUMENT_BLUEPRINTS: readonly Blueprint[] = [
  {
    key: 'document-pdf',
    name: 'PDF',
    converter: 'officeDocument',
    usage: 'transcoding',
    settings: { mediaTypes: ['document'], useInPlayer: true, filetype: 'pdf', parameters: {}, allowedParameters: [] },
  },
  {
    key: 'document-page',
    name: 'Document page',
    converter: 'officeDocument',
    usage: 'preview',
    settings: {
      mediaTypes: ['document'],
      useInPlayer: true,
      filetype: 'jpg',
      parameters: { page: 1, dpi: 110, quality: 85 },
      allowedParameters: allow(['document'], {
        page: '^[1-9][0-9]{0,3}$',
        dpi: '^([3-9][0-9]|[1-5][0-9]{2}|600)$',
        width: '^([1-9][0-9]{2}|[1-7][0-9]{3})$',
        quality: QUALITY,
      }),
    },
  },
];
