import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { EMAIL_TEMPLATES } from '../instructions/email/email-template-names.js';
import { anyJsonSchema } from './any-json-schema.js';

/** What the answer has to say, or the try failed with 417. */
export class ExpectationDto {
  /** In dots; a number is an index of a list. @example "status" */
  path: string;
  /** Any JSON. @example "successful" */
  @ApiProperty(anyJsonSchema)
  value: unknown;
}

/** A call to this service, in the name of whoever wrote the subscription last. */
export class ApiInstructionDto {
  /** @example "api" */
  type: 'api';
  /** Lower case is understood too. @example "PUT" */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with `v5/`; placeholders are percent-encoded. @example "v5/mediacontainer/:mediaContainerId" */
  path: string;
  /** With GET only an empty one. @example { "tags": ["arrived"] } */
  payload?: Record<string, unknown>;
  /** All of it has to be so. */
  expected?: ExpectationDto[];
  /** Name under which later instructions find the answer (`:name.property`). @example "created" */
  as?: string;
}

/** Who gets an e-mail. */
export class RecipientDto {
  /** An address, or one with placeholders. @example ":user.email" */
  recipient: string;
  /** BCP 47. @example "en" */
  language?: string;
}

/** An e-mail to each recipient: a template, or subject and text. */
export class EmailInstructionDto {
  /** @example "email" */
  type: 'email';
  /** Up to 50; each gets a mail of their own. */
  to: RecipientDto[];
  /** One of the templates of the service. @example "uploadComplete" */
  template?: (typeof EMAIL_TEMPLATES)[number];
  /** For the template, over the payload of the event. @example { "title": "Pictures" } */
  parameters?: Record<string, unknown>;
  /** @example "Container :mediaContainerId has arrived" */
  subject?: string;
  /** @example "Have a look." */
  text?: string;
}

/** A signed request to another service (Standard Webhooks). */
export class HttpsInstructionDto {
  /** @example "https" */
  type: 'https';
  /** Placeholders are percent-encoded, and stand behind the host only. @example "https://hooks.example.org/arrived" */
  url: string;
  /** POST if it is absent. @example "POST" */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Answers show `********` in place of their values. @example { "x-api-key": "…" } */
  headers?: Record<string, string>;
  /** Any JSON; without it the body is the event. @example { "container": ":mediaContainerId" } */
  @ApiPropertyOptional(anyJsonSchema)
  payload?: unknown;
}

const TYPES = [ApiInstructionDto, EmailInstructionDto, HttpsInstructionDto];

/** Names the schemas that instructionSchema refers to. */
export const ApiInstructions = () => ApiExtraModels(...TYPES);

export const instructionSchema = () => ({
  oneOf: TYPES.map((type) => ({ $ref: getSchemaPath(type) })),
});
