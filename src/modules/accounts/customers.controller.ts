import { Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../shared/http/index.js';
import { toEnd } from '../../shared/validation/index.js';
import { CustomerResponse, toCustomerResponse, UpdateCustomerDto } from './customer.dto.js';
import { CustomersService } from './customers.service.js';

@ApiTags('Customer')
@ApiBearerAuth('oauth2')
@Controller('v5/customer')
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  /** The caller's organisation. */
  @Get()
  async get(@CurrentCaller() caller: Caller, @Tagged({ whole: true }) tag: Tag): Promise<CustomerResponse> {
    const customer = await this.customers.get(caller);
    return tag.set(customer, toCustomerResponse(customer));
  }

  /** Change the caller's organisation; requires adminLevel 9 or above. */
  @Put()
  @ApiErrors('admin_level_not_sufficient', 'customer_name_taken', 'support_access_denied')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateCustomerDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<CustomerResponse> {
    const { burnTimecode, name, requireSecondFactor } = input;
    const supportAccessUntil = toEnd(input.supportAccessUntil);
    const overrides = burnTimecode && ({ ...burnTimecode } as Record<string, unknown>);
    const changes = { name, burnTimecode: overrides, supportAccessUntil, requireSecondFactor };
    const customer = await this.customers.update(caller, { ...changes, ifMatch });
    return tag.set(customer, toCustomerResponse(customer));
  }
}
