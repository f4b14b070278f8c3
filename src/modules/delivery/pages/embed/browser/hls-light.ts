/** The smallest build of hls.js that plays CMAF. It has no alternative sounds. The types are those of the full build. */
export { default as Hls } from 'hls.js';
