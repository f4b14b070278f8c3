import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/index.js';
import { HealthChecksService } from '../health/health-checks.service.js';
import { Log } from '../logging/index.js';
import type { OtlpRecorder } from './otlp-recorder.js';
import { recordSpans, tracesUrl } from './spans.js';

/** Records traces while this process runs, if OTEL_EXPORTER_OTLP_ENDPOINT is set. */
@Injectable()
export class TracingService implements OnModuleInit, OnApplicationShutdown {
  private recorder: OtlpRecorder | null = null;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    private readonly checks: HealthChecksService,
  ) {}

  async onModuleInit(): Promise<void> {
    const { otelExporterOtlpEndpoint: endpoint, serviceName } = this.config;
    if (!endpoint) return;
    this.checks.register('collector', {
      maxAgeSeconds: 30,
      isWarning: true,
      findProblem: async () => await findCollectorProblem(endpoint),
    });
    const { OtlpRecorder } = await import('./otlp-recorder.js'); // loaded on demand, because OpenTelemetry takes memory and time to load
    this.recorder = new OtlpRecorder({ endpoint, serviceName }, this.log);
    recordSpans(this.recorder);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.recorder) return;
    recordSpans(null);
    await this.recorder.stop();
  }
}

const TRIAL_TIMEOUT_MS = 3_000;

/** Sends an empty list of traces: why the collector does not take it, as a sentence for the operator; null if it does. */
async function findCollectorProblem(endpoint: string): Promise<string | null> {
  const { host } = new URL(endpoint);
  try {
    const response = await fetch(tracesUrl(endpoint), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? null : `The collector of traces ${host} does not work (status ${response.status}).`;
  } catch (error) {
    const { name, cause } = error as Error;
    return `The collector of traces ${host} does not answer (${(cause as NodeJS.ErrnoException | undefined)?.code ?? name}).`;
  }
}
