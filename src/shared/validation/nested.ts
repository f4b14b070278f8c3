import { applyDecorators } from '@nestjs/common';
import { type ClassConstructor, plainToInstance, Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, ValidateNested } from 'class-validator';
import { isObject } from './json-members.js';

type ClassOf = () => ClassConstructor<object>;

/** More than people write by hand; checking them takes milliseconds. */
const MAX_ELEMENTS = 1_000;
/** What the validator of nested objects refuses as one problem, where lists and null elements would pass it. */
const REFUSED = '';

/** A member that is an object of its own shape; anything else is refused. */
export const NestedObject = (type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => toObject(value, type)),
    IsObject(),
    ValidateNested(),
  );

/** A member that is a list of such objects. */
export const NestedList = (type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => toList(value, type)),
    ArrayMaxSize(MAX_ELEMENTS),
    IsArray(),
    ValidateNested(),
  );

function toObject(value: unknown, type: ClassOf): unknown {
  if (value === undefined || value === null) return value;
  return isObject(value) ? plainToInstance(type(), value) : REFUSED;
}

function toList(value: unknown, type: ClassOf): unknown {
  if (!Array.isArray(value)) return value === undefined || value === null ? value : REFUSED;
  if (value.length > MAX_ELEMENTS) return new Array(value.length); // refused by its length; its elements are not looked at
  return value.map((element) => (isObject(element) ? plainToInstance(type(), element) : REFUSED));
}
