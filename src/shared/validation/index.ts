export { defined } from './defined.js';
export { invalidInput, refuseInvalid } from './invalid-input.js';
export { IsMoment, toMoment } from './is-moment.js';
export { MAX_ID } from './max-id.js';
export { NestedList, NestedListOrObject, NestedObject } from './nested.js';
export { parseUrl } from './parse-url.js';
export { UnlessAbsent, UnlessNull } from './unless.js';
