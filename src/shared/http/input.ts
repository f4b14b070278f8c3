import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { defineErrors } from '../errors/index.js';
import { asJsonObject, type JsonObject } from './json-object.js';

const errors = defineErrors({
  id_mismatch: { kind: 'invalid', meaning: 'The id in the path and the id in the body differ.' },
});

/** Parameters of a path whose member of the input has another name. */
type Names = Readonly<Record<string, string>> | undefined;

/** Path, query and body of a request as one object: the body wins over the query, the path over both (two different ids: 400). */
export const Input = createParamDecorator((names: Names, context: ExecutionContext): JsonObject => {
  const request = context.switchToHttp().getRequest<Request>();
  const merged: JsonObject = { ...request.query, ...asJsonObject(request.body) };
  for (const [parameter, value] of Object.entries(request.params)) {
    const name = names?.[parameter] ?? parameter;
    if (merged[name] !== undefined && String(merged[name]) !== value) {
      throw errors.id_mismatch(`The ${name} in the path (${value}) and in the body differ; send one of them.`);
    }
    merged[name] = value;
  }
  return merged;
});
