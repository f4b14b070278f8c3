import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import type { OtlpRecorder } from './otlp-recorder.js';
import { recordSpans } from './spans.js';

/** Records traces while this process runs, if OTEL_EXPORTER_OTLP_ENDPOINT is set. */
@Injectable()
export class TracingService implements OnModuleInit, OnApplicationShutdown {
  private recorder: OtlpRecorder | null = null;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const { otelExporterOtlpEndpoint: endpoint, serviceName } = this.config;
    if (!endpoint) return;
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
