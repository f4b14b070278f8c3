import { ContextVariable } from '../context-variable.js';

/** The attributes of a span: names, numbers and ids. Never a secret, a query, a body, or an address or name of a person. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** server, consumer: work that another component requested · client: a request to another component · internal: the rest. */
export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

export interface NewSpan {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
}

/** One step of a trace, in progress. */
export interface Span {
  /** `traceparent` of W3C Trace Context, for rows and requests that continue the trace. */
  readonly traceparent: string;
  add(attributes: SpanAttributes): void;
  /** Notes that something happened now. */
  note(name: string): void;
  rename(name: string): void;
  /** `error`: the reason for which the step failed. Only its code or class name is recorded. */
  end(error?: unknown): void;
}

/** The position of a span: below a span of this process or another one, or at the beginning of a trace that links to another trace. */
export interface SpanPlace {
  readonly parent?: Span | string;
  /** The `traceparent` of a caller that is not trusted. */
  readonly link?: string;
}

/** Records spans and sends them to a collector. */
export interface SpanRecorder {
  start(span: NewSpan, place: SpanPlace): Span;
}

/** Null unless OTEL_EXPORTER_OTLP_ENDPOINT is set; all functions then only run their work. */
let recorder: SpanRecorder | null = null;
const ambient = new ContextVariable<Span | null>();

/** Sets the recorder of this process, which is global because connections, queues and timers are shared by all traces. */
export function recordSpans(next: SpanRecorder | null): void {
  recorder = next;
}

/** The current trace, to be stored with work that continues it later; null outside a trace. */
export const currentTraceparent = (): string | null => (recorder && ambient.get()?.traceparent) ?? null;

/** Notes at the current step of the trace that something happens now; outside a trace, does nothing. */
export const noteInTrace = (name: string): void => void (recorder && ambient.get()?.note(name));

/** Runs `work` as a step of the current trace. Outside a trace, only runs it, with null. */
export function inSpan<T>(span: NewSpan, work: (span: Span | null) => Promise<T>): Promise<T> {
  const parent = recorder && ambient.get();
  return recorder && parent ? follow(recorder.start(span, { parent }), work) : work(null);
}

/** Runs work that serves many traces, such as a worker that a request has woken, outside the current trace. */
export const outsideTraces = <T>(work: () => T): T => (recorder ? ambient.run(null, work) : work());

/** Runs `work` as a step of the trace that was stored with it; if there is none, outside any trace and with null. */
export async function continueTrace<T>(
  traceparent: string | null | undefined,
  span: NewSpan,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (!recorder || !traceparent) return await outsideTraces(async () => await work(null));
  return await follow(recorder.start(span, { parent: traceparent }), work);
}

/** Starts a trace for `work`, which must call `end` on its span; without a recorder, only runs it. */
export function startTrace(span: NewSpan, place: SpanPlace, work: (span: Span | null) => void): void {
  if (!recorder) return work(null);
  const started = recorder.start(span, place);
  ambient.run(started, () => work(started));
}

function follow<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  const done = ambient.run(span, () => work(span));
  void done.then(
    () => span.end(),
    (error: unknown) => span.end(error),
  );
  return done;
}

/** Where a collector takes traces (OTLP over HTTP). */
export const tracesUrl = (endpoint: string): string => `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
