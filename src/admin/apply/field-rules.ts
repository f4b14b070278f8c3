import { applyDecorators } from '@nestjs/common';
import { IsString, Length, Matches, ValidateIf } from 'class-validator';

/** The field may be left out. An empty one (`null`) is no value of it: `IsOptional` would let it pass. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_entry, value) => value !== undefined);

/** One line of text, as a person reads it in a list. */
export const IsLine = ({ min, max }: { min: number; max: number }): PropertyDecorator =>
  applyDecorators(
    IsString({ message: 'must be a text (in YAML, put a number or a date into quotes)' }),
    Length(min, max, { message: min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters` }),
    Matches(/^[^\p{Cc}]*$/u, { message: 'must be one line without control characters' }),
  );

/** A name that is looked up as it is written. */
export const IsName = (): PropertyDecorator =>
  applyDecorators(IsLine({ min: 1, max: 255 }), Matches(/^\S(.*\S)?$/u, { message: 'must not begin or end with a space' }));
