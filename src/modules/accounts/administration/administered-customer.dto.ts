import { IntersectionType, PickType } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, MaxLength } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { IdOf, PageDto } from '../../../shared/resources/index.js';
import { UnlessAbsent } from '../../../shared/validation/index.js';
import { CustomerNameDto, UpdateCustomerDto } from '../customer.dto.js';
import type { Customer } from '../customer.entity.js';

/** A page of customers: those that match every filter. */
@RefusesUnknownParameters()
export class FindCustomersDto extends PageDto {
  /** Only this customer; the list is empty if it is unknown. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;

  /** Only customers whose name contains this text, in any case. @example "news" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  search?: string;
}

/** The id of a customer. */
export class CustomerIdDto extends IdOf({ example: 1 }) {}

/** A new customer. */
export class CreateCustomerDto extends CustomerNameDto {
  /** Whether every person of the customer needs a second factor to sign in with a password. @example false */
  @UnlessAbsent()
  @IsBoolean()
  requireSecondFactor?: boolean;
}

/** Changes of a customer; an absent member leaves the field unchanged. */
export class CustomerChangesDto extends PickType(UpdateCustomerDto, ['name', 'requireSecondFactor'] as const) {}

/** Changes of the customer with this id. */
export class UpdateAdministeredCustomerDto extends IntersectionType(CustomerIdDto, CustomerChangesDto) {}

/** A customer, for operators. */
export class AdministeredCustomerResponse {
  /** @example 1 */
  id: number;
  /** @example "Newsroom" */
  name: string;
  /** Whether it runs the service, so that its users are the support staff. @example false */
  operator: boolean;
  /** The time until which support staff may act for the customer's users (ISO 8601); null: they may not. Only the customer changes it. */
  supportAccessUntil: Date | null;
  /** Whether every person of the customer needs a second factor to sign in with a password. @example false */
  requireSecondFactor: boolean;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
}

export const toAdministeredCustomerResponse = (customer: Customer): AdministeredCustomerResponse => ({
  id: customer.id,
  name: customer.name,
  operator: customer.operator,
  supportAccessUntil: customer.supportAccessUntil,
  requireSecondFactor: customer.requireSecondFactor,
  createdAt: customer.createdAt,
  updatedAt: customer.updatedAt,
});
