import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../shared/clock.js';
import { EgressFailure, type EgressResult, EgressService, findHeaderProblem } from '../../../../shared/egress/index.js';
import type { Attempt, InstructionRunner, Outcome } from '../instruction.js';
import { DOT_SEGMENT, fillPlaceholders, fillText, fillUrl, type PlaceholderValues } from '../placeholders.js';
import type { HttpsInstructionDto } from './https-instruction.dto.js';
import { signWebhook } from './webhook-signature.js';

const GONE = 410;
const DOT_SEGMENT_ADDED = new EgressFailure('invalid url', 'a value in the path of the URL is . or .., which would lead elsewhere');

/** Sends requests to other services, signed according to Standard Webhooks (contract section 9). */
@Injectable()
export class HttpsInstructionService implements InstructionRunner<HttpsInstructionDto> {
  constructor(
    private readonly egress: EgressService,
    private readonly clock: Clock,
  ) {}

  async run(attempt: Attempt<HttpsInstructionDto>): Promise<Outcome> {
    const { instruction, messageId, subscription, values } = attempt;
    const { body, payload } = createBody(attempt);
    const headers = fillHeaders(instruction.headers ?? {}, values);
    if (headers instanceof EgressFailure) return { succeeded: false, statusCode: 0, reason: headers.toString(), payload };
    const url = fillUrl(instruction.url, values);
    if (countDotSegments(url) > countDotSegments(instruction.url)) {
      return { succeeded: false, statusCode: 0, reason: DOT_SEGMENT_ADDED.toString(), payload };
    }
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const result = await this.egress.send({
      url,
      method: instruction.method ?? 'POST',
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
        ...signWebhook({ id: messageId, timestamp, body }, subscription.signingSecret),
      },
      body,
    });
    return { ...this.toOutcome(result), payload };
  }

  private toOutcome({ statusCode, failure, retryAfter }: EgressResult): Omit<Outcome, 'payload'> {
    if (!failure) return { succeeded: true, statusCode, reason: null };
    if (statusCode === GONE) return { succeeded: false, statusCode, reason: `${failure} and wants no more of this message`, final: true };
    const retryAfterSeconds = retryAfter === null ? undefined : parseRetryAfter(retryAfter, this.clock.now());
    return { succeeded: false, statusCode, reason: failure.toString(), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
}

/** Describes the problem of a header for a person, without its value; null: there is none. The headers of the signature are reserved. */
export function findWebhookHeaderProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  return lower.startsWith('webhook-') ? `the header ${lower} cannot be set` : findHeaderProblem(name, value);
}

/** The seconds from `now` that a Retry-After header asks to wait, rounded up; undefined: it is invalid (RFC 9110 section 10.2.3). */
export function parseRetryAfter(value: string, now: Date): number | undefined {
  const text = value.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((parseHttpDate(text) - now.getTime()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}

/** A date begins with the name of a day; Date.parse alone would read `-5` as a year. */
const parseHttpDate = (text: string): number => (/^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN);

/**
 * The body of a request, and the payload that the log shows. Without a payload in the instruction, the body is the event and the log stores null. GET
 * has no body (RFC 9110 section 9.3.1).
 */
function createBody({ instruction, event, values }: Attempt<HttpsInstructionDto>): { body: Buffer | null; payload: unknown } {
  if (instruction.method === 'GET') return { body: null, payload: null };
  if (instruction.payload !== undefined && instruction.payload !== null) {
    const payload = fillPlaceholders(instruction.payload, values);
    return { body: asJson(payload), payload };
  }
  const { id, name, customerId, method, payload, createdAt } = event;
  return { body: asJson({ id, name, customerId, method, payload, createdAt }), payload: null };
}

const asJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** The headers with filled placeholders, by lower-case name; a failure if one of them is not allowed in a request. */
function fillHeaders(
  headers: Readonly<Record<string, string>>,
  values: PlaceholderValues,
): Readonly<Record<string, string>> | EgressFailure {
  const filled: Record<string, string> = {};
  for (const [name, template] of Object.entries(headers)) {
    const value = fillText(template, values);
    const problem = findWebhookHeaderProblem(name, value);
    if (problem) return new EgressFailure('invalid header', problem);
    filled[name.toLowerCase()] = value;
  }
  return filled;
}

/**
 * Counts the dot segments of a URL. Values may not add any: they would lead to another path, and encoding does not prevent it. The author of a URL
 * may use them.
 */
const countDotSegments = (url: string): number =>
  (url.split(/[?#]/, 1)[0] ?? '').split(/[/\\]/).filter((segment) => DOT_SEGMENT.test(segment)).length;
