export { continueTrace, currentTraceparent, inSpan, noteInTrace, outsideTraces } from './spans.js';
export { TracingService } from './tracing.service.js';
