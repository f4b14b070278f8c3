import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { bearerToken, type Caller, CallerAuthenticators, countedAs } from '../../shared/auth/index.js';
import { asJsonObject, inputValidation, RateLimiter, readJson, type Step, sendJson } from '../../shared/http/index.js';
import { CreateUploadDto } from './create-upload.dto.js';
import { ownUpload } from './own-upload.js';
import { UploadPreparation } from './preparation/upload-preparation.js';

const PATH = '/v5/s3/createUpload';
/** The operation of the controller, under whose name both are counted. */
const OPERATION = 'UploadsController.createUpload';
const METHODS: ReadonlySet<Caller['method']> = new Set(['bearer']);
/** Larger ones cost so much themselves that the way there does not count. */
const MOST_BYTES = 65_536;
const JSON_TYPE = /^application\/json(; *charset="?utf-8"?)?$/i;

/**
 * POST /v5/s3/createUpload in front of Express, for the requests that are made most: a few items, with a token and without anything special.
 * It asks and answers as UploadsController does; whatever it does not plainly understand goes there, unread.
 */
@Injectable()
export class CreateUploadEndpoint {
  private readonly validation = inputValidation();

  constructor(
    private readonly authenticators: CallerAuthenticators,
    private readonly limiter: RateLimiter,
    private readonly preparation: UploadPreparation,
  ) {}

  readonly step: Step = (request, response, next) => {
    if (isPlain(request)) this.answer(request, response, next).catch(next);
    else next();
  };

  private async answer(request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> {
    const caller = await this.authenticators.authenticate(request, response, METHODS).catch(() => null); // refused there, with the reason
    if (!caller?.scopes.has('api') || caller.subscriptionId !== undefined) return next();
    Object.assign(request, { route: { path: PATH } }); // the name under which it is measured
    const body = await readJson(request);
    await this.limiter.consumeRoute('api', OPERATION, { request, response, identity: countedAs(caller) });
    const input = (await this.validation.transform(asJsonObject(body), { type: 'custom', metatype: CreateUploadDto })) as CreateUploadDto;
    sendJson(response, 200, await this.preparation.prepare(ownUpload(caller, input)));
  }
}

function isPlain(request: IncomingMessage): boolean {
  const { method, url, headers } = request;
  if (method !== 'POST' || url !== PATH || bearerToken(request) === null) return false;
  if (headers['idempotency-key'] !== undefined || headers['content-encoding'] !== undefined) return false;
  const size = Number(headers['content-length']);
  return size > 0 && size <= MOST_BYTES && JSON_TYPE.test(headers['content-type'] ?? '');
}
