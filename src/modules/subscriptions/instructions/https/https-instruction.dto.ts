import { ApiPropertyOptional } from '@nestjs/swagger';
import { anyJsonSchema } from '../any-json-schema.js';

/** A signed request to another service (Standard Webhooks). */
export class HttpsInstructionDto {
  /** @example "https" */
  type: 'https';
  /** Placeholders are percent-encoded, and are allowed only after the host. @example "https://hooks.example.org/arrived" */
  url: string;
  /** POST if absent. @example "POST" */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Responses show `********` in place of their values. @example { "x-api-key": "…" } */
  headers?: Record<string, string>;
  /** Any JSON; without it the body is the event. @example { "container": ":mediaContainerId" } */
  @ApiPropertyOptional(anyJsonSchema())
  payload?: unknown;
}
