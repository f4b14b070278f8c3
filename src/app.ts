import { createServer, type RequestListener, type Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { tokensInPath } from './modules/delivery/index.js';
import { IntrospectionService, OidcProviderService } from './modules/oauth/index.js';
import { InstructionAuthenticationService } from './modules/subscriptions/index.js';
import { serveDocs } from './openapi/build-document.js';
import { AdmissionService, TrustedOriginsService } from './shared/auth/index.js';
import type { Config } from './shared/config/index.js';
import {
  beginRequest,
  cors,
  logRequests,
  parseBody,
  pipeline,
  RateLimitsService,
  refuseMalformed,
  refuseMalformedHost,
  renderError,
  type Step,
  securityHeaders,
} from './shared/http/index.js';
import { createLog, type Log, nestLogger } from './shared/logging/index.js';
import { type MetricsSource, measureRequests, serveMetrics, startMetrics } from './shared/metrics.js';
import { traceRequests } from './shared/tracing/trace-requests.js';
import { serveAssets } from './shared/web/index.js';

const MAX_HEADER_BYTES = 131_072; // an over-long URL gets a 400 response that says so, instead of a closed connection
const KEEP_ALIVE_MS = 65_000; // longer than the 60 s of common load balancers, so that the server never closes a connection just as a request arrives

export interface AppOptions {
  readonly log?: Log;
  readonly metrics?: MetricsSource;
}

/** Creates the service as an application that does not listen yet; used by main.ts, the tests, the OpenAPI document and the benchmarks. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<NestExpressApplication> {
  const log = options.log ?? createLog({ level: config.logLevel, service: config.serviceName, format: config.logFormat });
  const adapter = new FrontedExpressAdapter();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.for(config, log), adapter, {
    logger: nestLogger(log),
    bodyParser: false,
    abortOnError: false,
  });
  app.set('query parser', 'extended'); // parses condition[path]=…, which the specification uses in find requests
  app.set('etag', false); // hashing every response costs a third of the throughput; operations that need an ETag set it
  app.disable('x-powered-by');
  serveDocs(app, config);
  const metrics = options.metrics ?? startMetrics();
  adapter.front(front({ app, config, log, metrics }), (error, request, response) => {
    if (!app.get(OidcProviderService).sendJsonError(error, request, response)) renderError(error, request, response, log);
  });
  return app;
}

/** The ordered list of steps that a request passes before Nest. */
function front({ app, config, log, metrics }: { app: NestExpressApplication; config: Config; log: Log; metrics: MetricsSource }): Step[] {
  return [
    beginRequest(config, log),
    tokensInPath, // before anything logs the path
    logRequests(log),
    ...(config.otelExporterOtlpEndpoint ? [traceRequests(config.otelTracesSamplerArg)] : []),
    measureRequests,
    securityHeaders(config),
    refuseMalformedHost,
    cors(app.get(TrustedOriginsService), config.headerPrefixes),
    app.get(IntrospectionService).step, // before any step that refuses requests, because it answers every request with 200
    refuseMalformed,
    serveAssets,
    serveMetrics(metrics, config),
    app.get(AdmissionService).step, // identifies the caller, and checks the address's rate limit and the allowed body size, before a body is read
    app.get(OidcProviderService).step,
    app.get(InstructionAuthenticationService).step,
    parseBody(app.get(RateLimitsService)),
  ];
}

/** Nest on Express, with the front pipeline before Express: hot protocol endpoints respond without its cost. */
class FrontedExpressAdapter extends ExpressAdapter {
  private listener: RequestListener = (_request, response) => void response.writeHead(503).end();

  front(steps: readonly Step[], onError: Parameters<typeof pipeline>[1]): void {
    this.listener = pipeline(steps, onError)(this.getInstance() as RequestListener);
  }

  override initHttpServer(): void {
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => this.listener(request, response));
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = KEEP_ALIVE_MS + 1_000; // Node requires it to be longer than keepAliveTimeout
    server.on('clientError', (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    });
    this.httpServer = server as Server;
  }
}
