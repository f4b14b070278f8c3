import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { Log } from '../logging/index.js';
import { renderError } from './render-error.js';

/** Renders whatever a handler, guard or pipe threw. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    renderError(error, http.getRequest<IncomingMessage>(), http.getResponse<ServerResponse>(), this.log);
  }
}
