import type { Request } from 'express';
import type { Config } from '../../shared/config/index.js';
import { clientIdHeader } from '../../shared/http/index.js';
import type { Visitor } from './visitor.js';

/** What a request tells of its sender. */
export const visitorOf = (request: Request, { headerPrefixes }: Config): Visitor => ({
  caller: request.caller,
  clientId: clientIdHeader(request, headerPrefixes),
  network: request.context.clientNetwork,
});
