export { BoundedDocument, bytesOfDocument, findTooLarge, MAX_DOCUMENT_BYTES, tooLarge } from './document-size.js';
export { fieldProblems } from './field-problems.js';
export {
  fromUnixSeconds,
  IsMoment,
  isId,
  MAX_ID,
  MAX_UNIX_SECONDS,
  toMoment,
  toUnixSeconds,
  UnlessAbsent,
  UnlessNull,
} from './field-rules.js';
export { findUnknownMembers, IgnoredInputResponse, withIgnored } from './ignored-input.dto.js';
export { invalidInput, refuseInvalid } from './invalid-input.js';
export { defined, isObject, type Stored, withoutNulls, withoutNullsDeep } from './json-members.js';
export { NestedList, NestedObject } from './nested.js';
export { parseIp } from './parse-ip.js';
export { parseUrl } from './parse-url.js';
export { handOnPlainValues } from './plain-values.js';
export { presupposes, ValidateDeeply, type ValueType, valueTypes } from './value-types.js';
