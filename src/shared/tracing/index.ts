export { continueTrace, currentTraceparent, inSpan, outsideTraces } from './spans.js';
export { TracingService } from './tracing.service.js';
