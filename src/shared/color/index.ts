export { type Color, IsColor, isColor, parseColor } from './parse-color.js';
