import { ApiProperty } from '@nestjs/swagger';
import { anyJsonSchema } from '../any-json-schema.js';

/** What the answer has to contain, or the attempt fails with status 417. */
export class ExpectationDto {
  /** In dot notation; a number is an index of a list. @example "status" */
  path: string;
  /** Any JSON. @example "successful" */
  @ApiProperty(anyJsonSchema())
  value: unknown;
}

/** A call to this service, with the current rights of the user who last edited the subscription. */
export class ApiInstructionDto {
  /** @example "api" */
  type: 'api';
  /** Lower case is accepted. @example "PUT" */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with `v5/`; placeholders are percent-encoded. @example "v5/mediacontainer/:mediaContainerId" */
  path: string;
  /** Must be empty with GET. @example { "tags": ["arrived"] } */
  payload?: Record<string, unknown>;
  /** All of these must be met. */
  expected?: ExpectationDto[];
  /** Name under which later instructions find the answer (`:name.property`). @example "created" */
  as?: string;
}
