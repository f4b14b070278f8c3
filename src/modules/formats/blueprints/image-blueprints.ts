import type { FormatSettings } from '../format-settings.dto.js';
import type { AllowedParameter, Parameters } from '../format-settings.js';
import { allow, type Blueprint, BOX, QUALITY } from './blueprint.js';

const COLOR = '^([a-z]{3,20}|#[0-9a-fA-F]{6})$';
const SHAPE = { resize: BOX, crop: '^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$', gravity: '^((North|South)?(West|East)|North|South|Center)$' };
const JPEG = allow(['image'], {
  ...SHAPE,
  quality: QUALITY,
  background: COLOR,
  interlace: '^(None|Plane)$',
  'sampling-factor': '^4:(2:0|2:2|4:4)$',
  colorspace: '^(sRGB|Gray)$',
});
const PNG = allow(['image'], {
  ...SHAPE,
  colors: '^([2-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-6])$',
  depth: '^(8|16)$',
  colorspace: '^(sRGB|Gray)$',
});
const WEBP = allow(['image'], {
  ...SHAPE,
  quality: QUALITY,
  define: '^webp:(lossless=(true|false)|method=[0-6]|alpha-quality=[1-9][0-9]?)$',
});

interface Rendition {
  readonly key: string;
  readonly name: string;
  readonly filetype: string;
  readonly parameters: Parameters;
  readonly allowedParameters: readonly AllowedParameter[];
  readonly more?: FormatSettings;
}

const rendition = ({ key, name, more, ...settings }: Rendition): Blueprint => ({
  key,
  name,
  converter: 'imagemagick',
  usage: more?.createThumbnailVersions ? 'preview' : 'transcoding',
  settings: { mediaTypes: ['image'], useInPlayer: true, ...settings, ...more },
});

/** No image is made larger than it is (`>`). */
export const IMAGE_BLUEPRINTS: readonly Blueprint[] = [
  rendition({
    key: 'jpeg',
    name: 'JPEG',
    filetype: 'jpg',
    parameters: { resize: '2560x2560>', quality: 85, interlace: 'Plane', 'sampling-factor': '4:2:0', background: 'white' },
    allowedParameters: JPEG,
  }),
  rendition({ key: 'png', name: 'PNG', filetype: 'png', parameters: { resize: '2560x2560>', depth: 8 }, allowedParameters: PNG }),
  rendition({ key: 'webp', name: 'WebP', filetype: 'webp', parameters: { resize: '2560x2560>', quality: 80 }, allowedParameters: WEBP }),
  rendition({
    key: 'image-thumbnail',
    name: 'Image thumbnail',
    filetype: 'jpg',
    parameters: { resize: '400x400>', quality: 80, background: 'white' },
    allowedParameters: JPEG,
    more: { createThumbnailVersions: true },
  }),
];
