export { mimeTypeOf } from './mime-type-of.js';
