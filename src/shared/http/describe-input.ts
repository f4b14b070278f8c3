import type { Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels } from '@nestjs/swagger';
import { getMetadataStorage, IS_INT } from 'class-validator';

/** Extension that names the input class of an operation until the OpenAPI document is complete (src/openapi). */
export const INPUT = 'x-input';

/** The input of an operation. */
export interface DescribedInput {
  /** Name of its class. */
  readonly schema: string;
  /** Which members the parameters of the path fill under another name. */
  readonly names: Readonly<Record<string, string>>;
  /** Members that are whole numbers, which the compiler plugin takes for any numbers. */
  readonly integers: readonly string[];
}

/** Notes the class of a handler's parameter for the OpenAPI document. */
export function describeInput(target: object, handler: string | symbol, index: number, names: DescribedInput['names'] = {}): void {
  const types = Reflect.getMetadata('design:paramtypes', target, handler) as Type[] | undefined;
  const type = types?.[index];
  const descriptor = Object.getOwnPropertyDescriptor(target, handler);
  if (!type || type === Object || !descriptor) return;
  ApiExtension(INPUT, { schema: type.name, names, integers: integersOf(type) })(target, handler, descriptor);
  ApiExtraModels(type)(target, handler, descriptor);
}

const integersOf = (type: Type): string[] =>
  getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .filter(({ name }) => name === IS_INT)
    .map(({ propertyName }) => propertyName);
