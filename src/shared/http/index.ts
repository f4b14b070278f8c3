export { lengthOf } from './body-limit.js';
export { appendCookie, cookieValues, HOST_PREFIX, hostPrefix, parseCookies, SECURE_PREFIX, securePrefix } from './cookies.js';
export { cors } from './cors.js';
export { entityTagOf, IfMatch, matchesTag, requireMatch, requireNoTag, TAGGED, type Tag, Tagged, type Versioned } from './entity-tags.js';
export { beginRequest, logRequests, refuseMalformed, refuseMalformedHost } from './first-steps.js';
export {
  ApiClientId,
  ApiErrors,
  ApiProblemPages,
  CastBoolean,
  CastInteger,
  type DescribedInput,
  ERROR_CODES,
  HasFurtherMembers,
  INPUT,
  Input,
  OptionalFlag,
  openClasses,
  PROBLEM_PAGES,
  SentBody,
} from './input.js';
export { inputValidation, RefusesUnknownParameters } from './input-validation.js';
export { asJsonObject, type JsonObject } from './json-object.js';
export { parseBody } from './parse-body.js';
export { parseRange, type Range } from './parse-range.js';
export { clientIdHeader, hasProxyHeader, pipeline, prefixedHeader, type RequestContext, type Step } from './pipeline.js';
export { RateLimited } from './rate-limit.guard.js';
export { RateLimitCount } from './rate-limit-count.entity.js';
export { RateLimitsService } from './rate-limits.service.js';
export { asDomainError, httpErrors, methodNotAllowed, renderError, sendJson, sendProblem, statusOfKind } from './render-error.js';
export { contentSecurityPolicy, securityHeaders, sourceHost } from './security-headers.js';
export { isFromThisMachine } from './this-machine.js';
export { whyUnreadable } from './why-unreadable.js';
