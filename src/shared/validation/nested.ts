import { applyDecorators } from '@nestjs/common';
import { type ClassConstructor, plainToInstance, Transform } from 'class-transformer';
import { ValidateNested } from 'class-validator';

type ClassOf = () => ClassConstructor<object>;

/** More than anybody writes by hand; checking them takes milliseconds. */
const MAX_ELEMENTS = 1_000;
/** What the validator of nested objects refuses as one problem, where lists and null elements would pass it. */
const REFUSED = '';

/** A member that is an object of its own shape; anything else is refused. */
export const NestedObject = (type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => toObject(value, type)),
    ValidateNested({ message: '$property must be an object' }),
  );

/** A member that is a list of such objects. */
export const NestedList = (type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => toList(value, type)),
    ValidateNested({ message: `$property must be a list of objects, ${MAX_ELEMENTS} at most` }),
  );

/** A member that is either. */
export const NestedListOrObject = (element: ClassOf, type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => (Array.isArray(value) ? toList(value, element) : toObject(value, type))),
    ValidateNested({ message: `$property must be an object or a list of objects, ${MAX_ELEMENTS} at most` }),
  );

function toObject(value: unknown, type: ClassOf): unknown {
  if (value === undefined || value === null) return value;
  return isObject(value) ? plainToInstance(type(), value) : REFUSED;
}

function toList(value: unknown, type: ClassOf): unknown {
  if (value === undefined || value === null) return value;
  if (!Array.isArray(value) || value.length > MAX_ELEMENTS) return REFUSED;
  return value.map((element) => (isObject(element) ? plainToInstance(type(), element) : REFUSED));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
