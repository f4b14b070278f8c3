export { IsColor } from './is-color.js';
export { type Color, isColor, parseColor } from './parse-color.js';
