import { allow, type Blueprint, JPEG_SCALE, SIDE } from './blueprint.js';

const HEX_COLOR = '^#[0-9a-fA-F]{6}$';

/** The sound as a curve from left to right on a transparent background. */
const WAVEFORM: Blueprint = {
  key: 'waveform',
  name: 'Waveform',
  converter: 'ffmpeg',
  usage: 'preview',
  settings: {
    mediaTypes: ['audio', 'video'],
    useInPlayer: false,
    filetype: 'png',
    parameters: { draw: 'waveform', width: 1280, height: 320, color: '#3b82f6' },
    allowedParameters: allow(['audio', 'video'], { width: SIDE, height: SIDE, color: HEX_COLOR }),
  },
};

/** Pictures of a film as tiles of one JPEG, which players show while the viewer looks for a scene. `width` and `height` bound a tile. */
const STORYBOARD: Blueprint = {
  key: 'storyboard',
  name: 'Storyboard',
  converter: 'ffmpeg',
  usage: 'preview',
  settings: {
    mediaTypes: ['video'],
    useInPlayer: false,
    filetype: 'jpg',
    parameters: { draw: 'storyboard', width: 160, height: 90, 'q:v': 5 },
    allowedParameters: allow(['video'], { width: '^[1-9][0-9]{1,2}$', height: '^[1-9][0-9]{1,2}$', 'q:v': JPEG_SCALE }),
  },
};

/** The blueprints of drawings of the whole media. */
export const DRAWING_BLUEPRINTS: readonly Blueprint[] = [WAVEFORM, STORYBOARD];
