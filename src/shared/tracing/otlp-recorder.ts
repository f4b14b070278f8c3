import {
  type Attributes,
  type Context,
  SpanKind as OtelKind,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../logging/index.js';
import { VERSION } from '../version.js';
import { type NewSpan, type Span, type SpanPlace, type SpanRecorder, tracesUrl } from './spans.js';

/** Maximum number of spans that wait to be sent; further spans are dropped, so that memory does not grow while the collector is down. */
const MAX_WAITING = 4_096;
const MAX_SENT_TOGETHER = 512;
const SENT_EVERY_MS = 1_000;
/** The time limit of a call to the collector, including the last call when the service stops. */
const TIMEOUT_MS = 3_000;
const SHUTDOWN_MS = 2_000;

const KINDS: Readonly<Record<NonNullable<NewSpan['kind']>, OtelKind>> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/**
 * Sends spans to an OpenTelemetry collector with OTLP over HTTP, as JSON. Requests never wait for it, and spans that it does not accept are
 * lost. This is the only file that loads OpenTelemetry, and it is loaded only if a collector is configured.
 */
export class OtlpRecorder implements SpanRecorder {
  private readonly provider: BasicTracerProvider;
  private readonly tracer;

  constructor({ endpoint, serviceName }: { readonly endpoint: string; readonly serviceName: string }, log: Pick<Log, 'warn'>) {
    const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: TIMEOUT_MS });
    const batches = {
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: MAX_SENT_TOGETHER,
      scheduledDelayMillis: SENT_EVERY_MS,
      exportTimeoutMillis: TIMEOUT_MS + 1_000,
    };
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION, 'process.pid': process.pid }),
      sampler: new AlwaysOnSampler(), // traceRequests does the sampling
      spanProcessors: [new BatchSpanProcessor(reportingFailures(exporter, { log, host: new URL(endpoint).host }), batches)],
    });
    this.tracer = this.provider.getTracer('media-delivery-platform');
  }

  start({ name, kind = 'internal', attributes }: NewSpan, { parent, link }: SpanPlace): Span {
    const remote = link === undefined ? null : parse(link);
    const options = { kind: KINDS[kind], attributes: attributes as Attributes, ...(remote && { links: [{ context: remote }] }) };
    return new OtlpSpan(this.tracer.startSpan(name, options, contextOf(parent)));
  }

  /** Sends the waiting spans, if the collector accepts them in time. */
  async stop(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref());
    await Promise.race([this.provider.shutdown().catch(() => {}), late]);
  }
}

class OtlpSpan implements Span {
  readonly context: SpanContext;

  constructor(private readonly span: ReturnType<typeof trace.wrapSpanContext>) {
    this.context = span.spanContext();
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.context;
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  add(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  note(name: string): void {
    this.span.addEvent(name);
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  /** Ends the span. Error messages are not recorded, because they may quote a person's input. */
  end(error?: unknown): void {
    if (error !== undefined) {
      this.span.setAttribute('error.type', nameOf(error));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

function contextOf(parent: Span | string | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const context = parent instanceof OtlpSpan ? parent.context : parse(String(typeof parent === 'string' ? parent : parent.traceparent));
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

/** Parses a `traceparent` that this service has written or validated; null if it is malformed. */
function parse(traceparent: string): SpanContext | null {
  const [version, traceId, spanId, flags] = traceparent.split('-');
  if (version !== '00' || !traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function nameOf(error: unknown): string {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  if (/^\d{3}$/.test(String(message))) return String(message);
  return typeof name === 'string' ? name : 'Error';
}

/** All failures are one cause, so the log has one line a minute for them: a collector that is down causes several kinds of errors. */
function reportingFailures(exporter: SpanExporter, { log, host }: { log: Pick<Log, 'warn'>; host: string }): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) log.warn({ operation: 'export of traces', host, reason: reasonOf(result.error) }, 'traces could not be sent');
        done({ code: 0 });
      }),
    shutdown: async () => await exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

/** A status or the code of a system error; messages of the exporter contain the response of the collector. */
const reasonOf = (error: Error): string => String((error as { code?: unknown }).code ?? error.name);
