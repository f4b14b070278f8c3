export { fieldProblems, invalidInput, refuseInvalid } from './field-problems.js';
export {
  BoundedDocument,
  bytesOfDocument,
  findTooLarge,
  IsDisplayName,
  IsId,
  IsLinkTime,
  IsMoment,
  IsTime,
  isId,
  MAX_DISPLAY_NAME_CHARACTERS,
  MAX_DOCUMENT_BYTES,
  MAX_ID,
  MAX_INTEGER,
  NestedList,
  NestedObject,
  toEnd,
  toMoment,
  tooLarge,
  toTime,
  toUnixSeconds,
  UnlessAbsent,
  UnlessNull,
} from './field-rules.js';
export { findUnknownMembers, IgnoredInputResponse, withIgnored } from './ignored-input.dto.js';
export { FollowsRule, type InputRule, limitsOf, ruleOf } from './input-rule.js';
export { defined, isObject, type Stored, withoutNulls, withoutNullsDeep } from './json-members.js';
export { Limited, type Limits } from './limits.js';
export { BROWSER_SCHEMES, isLoopback, originOf, parseIp, parseUrl, toAsciiDomain } from './parse-url.js';
export { handOnPlainValues, withShortLists } from './plain-values.js';
export { type ProblemFinder, presupposes, ValidateDeeply, type ValueType, valueTypes } from './value-types.js';
