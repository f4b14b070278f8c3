/** The build of hls.js with alternative sounds, for films that have several. */
export { default as Hls } from 'hls.js/dist/hls.mjs';
