import { ValidateIf } from 'class-validator';

/** The rules of this member hold unless it is absent or null. */
export const UnlessNull = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

/** The rules of this member hold unless it is absent. */
export const UnlessAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);
