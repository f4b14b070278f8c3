import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { ProblemPages } from './problem-pages.js';

/** For controllers that people look at: whatever was thrown becomes a page, not a problem document. */
@Catch()
export class ProblemPageFilter implements ExceptionFilter {
  constructor(private readonly pages: ProblemPages) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.pages.send(error, http.getRequest<IncomingMessage>(), http.getResponse<ServerResponse>());
  }
}
