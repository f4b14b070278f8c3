import { packageFile, pageFilesIn, publishAssets, sharedModules } from '../../../../shared/web/index.js';

/**
 * The smallest build of hls.js that plays CMAF. It lacks text tracks and alternative audio: the page adds the tracks, and each rendition of most films
 * contains its sound.
 */
const HLS_LIGHT = 'vendor/hls.light.min.js';
/** With alternative audio, for films of several sounds. */
const HLS_FULL = 'vendor/hls.min.js';
/** All elements in one minified file; separate modules would take sixty requests. */
const CONTROLS = 'vendor/media-chrome.js';

const files = {
  ...pageFilesIn(new URL('./browser/', import.meta.url)),
  ...sharedModules,
  [HLS_LIGHT]: packageFile('hls.js', './hls.light.min.mjs'),
  [HLS_FULL]: packageFile('hls.js', './hls.min.mjs'),
  [CONTROLS]: packageFile('media-chrome', '../iife/all.js'),
};

const urlOf = publishAssets('embed-page', { files, packages: { 'hls.js': HLS_LIGHT, 'hls.js/dist/hls.mjs': HLS_FULL } });

/** Scripts that only some pages load: for streams, for films with controls, and for the sign-in. */
const ENTRIES = ['embed-page.js', 'sign-in.js', 'stream.js', 'hls-light.js', 'hls-full.js'];

/** The URLs of the files that the page loads. */
export const embedPageAssets = {
  stylesheet: urlOf('embed-page.css'),
  audioStylesheet: urlOf('embed-audio.css'),
  controlsStylesheet: urlOf('embed-controls.css'),
  progressStylesheet: urlOf('embed-progress.css'),
  script: urlOf('embed-page.js'),
  signInScript: urlOf('sign-in.js'),
  /** The elements of media-chrome. */
  controlsScript: urlOf(CONTROLS),
  /** The modules that the script imports, so that the browser fetches all of them in parallel. */
  modules: Object.keys(files)
    .filter((name) => name.endsWith('.js') && !name.startsWith('vendor/') && !ENTRIES.includes(name))
    .map(urlOf),
  /** The modules that the script imports to play a stream. */
  streamModules: ['stream.js', 'hls-light.js', HLS_LIGHT].map(urlOf),
  /** The same for films of several sounds. */
  soundsModules: ['stream.js', 'hls-full.js', HLS_FULL].map(urlOf),
};

/**
 * SHA-256 hashes (Base64) of the `style` elements that media-chrome inserts for the elements of embed-page.eta: the policy of the page permits
 * these and no other inline styles. A test compares them with the installed version and names those that are missing.
 */
export const CONTROLS_STYLES: readonly string[] = [
  '+XYYAhYtiUsaw0+wUtfcBE3yMARPO4zdUhZGkDgDohM=',
  '1Jc+kPhfOh4UvXYTCgDHEAV3Caafvsf5jeNdPbSiQ8o=',
  '3mr12lsHkByBAuT5HIjiVaMHjH42rxTHchQEttT3yhE=',
  '5LsYGeD4Fwu+AtlpdRPSk6g18GLvHddLqx5a2hMGkpw=',
  '6U5HAlWzYb5wxRpqnEoQDmVLk4wH/2LkYlNKhVudVNU=',
  'C7t4uFhGErrgCiy7sp4fN8QAsq2Xafh4lWfnefi0l/E=',
  'CZ8hU2wFQkJQTP3Dj2nl5E530al0uN4149GNCvQZTDE=',
  'Hk7Xbc51M4+KlItrLhcesjhH4Bw/d/ccA2AdmchCVHA=',
  'JtGL9Nry1EePSwAYuDfDEJaZjQ90hmOJ9/+IVreUli4=',
  'LLrbL3VRTSpcR7f/VRuhdwB3hQdbFqJkzjoEZmHBXIw=',
  'Q/W/AoDhDmSYKoOkeSPGSjZ74lRGffL+iOMPi8HRljY=',
  'VJnVbqNRyX0jCFZEJ4ltrffJx26lCuyVbNYdioxBwzQ=',
  'W9200sCekROkcax0iJ77FC7fL1XmtkKZFU4jWBgOGi0=',
  'Z/uphCaT8SDUy/aHCSWlW3ogtH3KvmQv8nxXBDiodjQ=',
  'ad5pLE4ykOnAn8/VmRayKdKPhP3pvqoX4MGy3EktnBg=',
  'icRYLLVSVG1RE2ze2JPpc2di/XuMtAkqJdem5GFjU5M=',
  'l0oXN8ELODFEFGnJztGBqT5qrnYVXGDHmO9UVWjtMXA=',
  'm+frfzRQalnJwRN07WZLWSWd4eM4WsynbWp5qQi8Or0=',
  'ntLc0OsGs5UqjKSXE1qa+TXLOCjusElQkJiwbDf5ado=',
  'sAS/YwJd8QhcsuwF6ji1l+uwVdgQ8O/zcjWaGi0VXSw=',
  'tXRtzXU1dIfnhUwN+KO1mns7NTBJOhRaxuF5wwOVZ4A=',
  'xPGr0kPRXSSQwuLEe+wH5cnFEbvt5xz9QfByD425vdo=',
];
