export { type Color, isColor, parseColor } from './parse-color.js';
