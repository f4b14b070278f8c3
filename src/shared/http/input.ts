import { applyDecorators, createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiHeader } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional } from 'class-validator';
import type { Request } from 'express';
import { type DomainError, defineErrors } from '../errors.js';
import { withoutNulls } from '../validation/index.js';
import { asJsonObject, type JsonObject } from './json-object.js';

/** Extension with an operation's input class, until the OpenAPI document is complete (src/openapi). */
export const INPUT = 'x-input';

/** The input of an operation. */
export interface DescribedInput {
  /** Its class. */
  readonly type: Type<object>;
  /** Path parameter names by the input members that they fill under another name. */
  readonly names: Readonly<Record<string, string>>;
}

/** Records the class of a handler's parameter for the OpenAPI document. */
function describeInput(target: object, handler: string | symbol, index: number, names: DescribedInput['names'] = {}): void {
  const types = Reflect.getMetadata('design:paramtypes', target, handler) as Type<object>[] | undefined;
  const type = types?.[index];
  const descriptor = Object.getOwnPropertyDescriptor(target, handler);
  if (!type || type === Object || !descriptor) return;
  ApiExtension(INPUT, { type, names } satisfies DescribedInput)(target, handler, descriptor);
  ApiExtraModels(type)(target, handler, descriptor);
}

const errors = defineErrors({
  id_mismatch: { kind: 'invalid', meaning: 'The id in the path and the id in the body differ.' },
});

/** A member that path and body state differently. */
interface Mismatch {
  readonly path: string;
  readonly error: DomainError;
}

const mismatches = new WeakMap<object, Mismatch>();

/** The member of an input that path and body state differently; the input has the value of the path. The validation pipe reports it. */
export const mismatchOf = (input: object): Mismatch | undefined => mismatches.get(input);

/** Path parameters whose input member has another name. */
type Names = Readonly<Record<string, string>> | undefined;

const readInput = createParamDecorator((names: Names, context: ExecutionContext): JsonObject => {
  const request = context.switchToHttp().getRequest<Request>();
  const body = asJsonObject(request.body);
  const merged: JsonObject = { ...request.query, ...(request.method === 'GET' ? withoutNulls(body) : body) };
  for (const [parameter, value] of Object.entries(request.params)) {
    const name = names?.[parameter] ?? parameter;
    const sent = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (isMistyped(sent)) continue; // its own validation rule reports it
    if (sent !== undefined && String(sent) !== value) {
      const error = errors.id_mismatch(`The ${name} in the path (${value}) and in the body differ; send one of them.`);
      mismatches.set(merged, { path: name, error });
    }
    merged[name] = value;
  }
  return merged;
});

/** Objects could have a `toString` member chosen by the caller. */
const isMistyped = (value: unknown): boolean => typeof value === 'boolean' || (typeof value === 'object' && value !== null);

/**
 * Path, query and body of a request as one object: the body overrides the query, the path overrides both (two different ids: 400). In a GET body,
 * null counts as absent, because there is nothing to clear. The parameter's class describes all of it in the OpenAPI document. If the path fills
 * part of a body, `@ApiBody` names the class of the rest.
 */
export const Input =
  (names?: Names): ParameterDecorator =>
  (target, handler, index) => {
    if (handler === undefined) throw new Error('@Input() belongs to a parameter of a handler.');
    readInput(names)(target, handler, index);
    describeInput(target, handler, index, names);
  };

/** The body as it was sent, including members that no class declares; an empty object if there is none. */
export const SentBody = createParamDecorator(
  (_: unknown, context: ExecutionContext): JsonObject => asJsonObject(context.switchToHttp().getRequest<Request>().body),
);

/** Converts text to an integer (query or path); other values are left for validation to refuse. */
export const CastInteger = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Converts the texts `true`, `false`, `1` and `0` to booleans; other values are left for validation to refuse. */
export const CastBoolean = () => Transform(({ value }: { value: unknown }) => BOOLEANS.get(value) ?? value);

/** An optional flag of a query. */
export const OptionalFlag = (): PropertyDecorator => applyDecorators(IsOptional(), CastBoolean(), IsBoolean());

/** Extension with the error codes of an operation, until the OpenAPI document is complete (src/openapi). */
export const ERROR_CODES = 'x-error-codes';

/** Documents the operation's own error codes; the general ones (401, 403 scope, 429 …) are added to every operation. */
export const ApiErrors = (...codes: readonly string[]) => ApiExtension(ERROR_CODES, codes);

/** Extension of operations that show browsers an error page, until the OpenAPI document is complete (src/openapi). */
export const PROBLEM_PAGES = 'x-problem-pages';

/** Documents that browsers get an error page instead of a problem document. */
export const ApiProblemPages = () => ApiExtension(PROBLEM_PAGES, true);

/** Documents the header `clientid` of dropsite senders. */
export const ApiClientId = () =>
  ApiHeader({
    name: 'clientid',
    required: false,
    description:
      'The clientId of the dropsite, as returned by deliver; required by item success, complete and jobResult without a session.',
  });

/** The names of response classes whose objects have additional members. */
export const openClasses = new Set<string>();

/** Declares that objects of a response class have additional members, for example those of the request. */
export const HasFurtherMembers = (): ClassDecorator => (type) => {
  openClasses.add(type.name);
};
