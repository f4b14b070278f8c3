import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../shared/clock.js';
import { EgressFailure, type EgressResult, EgressService, findHeaderProblem } from '../../../../shared/egress/index.js';
import type { Attempt, InstructionRunner, Outcome } from '../instruction.js';
import { fillPlaceholders, fillText, fillUrl, type PlaceholderValues } from '../placeholders.js';
import type { HttpsInstructionDto } from './https-instruction.dto.js';
import { signWebhook } from './webhook-signature.js';

const GONE = 410;
/** As long as the longest schedules wait; a receiver that asks for a year gets another attempt sooner. */
const MAX_RETRY_AFTER_SECONDS = 86_400;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
const DOT_SEGMENT_ADDED = new EgressFailure('invalid url', 'a value in the path of the URL is . or .., which would lead elsewhere');

/** Sends requests to other services, signed as Standard Webhooks (contract section 9). */
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

/** What is wrong with a header, for a person and without its value; null: nothing. The headers of the signature are reserved. */
export function findWebhookHeaderProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  return lower.startsWith('webhook-') ? `the header ${lower} cannot be set` : findHeaderProblem(name, value);
}

/** The seconds from `now` that a Retry-After asks for, rounded up; undefined: it is not valid (RFC 9110 section 10.2.3). */
export function parseRetryAfter(value: string, now: Date): number | undefined {
  const text = value.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((parseHttpDate(text) - now.getTime()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

/** A date begins with the name of a day; Date.parse alone takes `-5` for a year. */
const parseHttpDate = (text: string): number => (/^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN);

/**
 * The body of a request, and the payload that the log shows. Without a payload of the instruction's own the body is the event, and the log
 * keeps null. GET has no body (RFC 9110 section 9.3.1).
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

/** The headers with their placeholders filled, by lower-case name; a failure if one of them is not allowed in a request. */
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

/** Values may not add dot segments to a path: they lead to another path, and no encoding prevents it. The author of a URL may use them. */
const countDotSegments = (url: string): number =>
  (url.split(/[?#]/, 1)[0] ?? '').split(/[/\\]/).filter((segment) => DOT_SEGMENT.test(segment)).length;
