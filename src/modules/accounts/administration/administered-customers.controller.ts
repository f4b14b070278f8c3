import { Controller, Get, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../../shared/resources/index.js';
import type { Customer } from '../customer.entity.js';
import {
  AdministeredCustomerResponse,
  CreateCustomerDto,
  CustomerChangesDto,
  CustomerIdDto,
  FindCustomersDto,
  toAdministeredCustomerResponse,
  UpdateAdministeredCustomerDto,
} from './administered-customer.dto.js';
import { CustomerAdministrationService } from './customer-administration.service.js';

/** Errors of every operation on one customer. */
const REFUSALS = ['not_found', 'admin_level_not_sufficient', 'operator_only'] as const;

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/customers')
export class AdministeredCustomersController {
  constructor(private readonly customers: CustomerAdministrationService) {}

  /** Find customers, a page at a time; operators only. */
  @Get()
  @ApiOkResponse({ type: AdministeredCustomerResponse, isArray: true })
  @ApiErrors('admin_level_not_sufficient', 'operator_only')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...wanted }: FindCustomersDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: wanted.id, limit, cursor }, async (portion) => {
      return (await this.customers.list(caller, wanted, portion)).map(toAdministeredCustomerResponse);
    });
  }

  /** Get a customer; operators only. */
  @Get(':id')
  @ApiErrors(...REFUSALS)
  async get(@CurrentCaller() caller: Caller, @Input() { id }: CustomerIdDto, @Tagged() tag: Tag): Promise<AdministeredCustomerResponse> {
    return respond(await this.customers.get(caller, id), tag);
  }

  /** Create a customer without people; operators only. `POST /v5/user` with its id as `customerId` invites the first one. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors('customer_name_taken', 'admin_level_not_sufficient', 'operator_only', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreateCustomerDto,
    @Tagged() tag: Tag,
  ): Promise<AdministeredCustomerResponse> {
    return respond(await this.customers.create(caller, input), tag);
  }

  /** Change a customer; operators only. Absent members stay unchanged. */
  @Put([':id', '/'])
  @IdInBody('Change a customer whose id is in the body; operators only.')
  @RefusesSupportAccess()
  @ApiBody({ type: CustomerChangesDto })
  @ApiErrors(...REFUSALS, 'id_mismatch', 'customer_name_taken', 'support_access_denied')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateAdministeredCustomerDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<AdministeredCustomerResponse> {
    return respond(await this.customers.update(caller, { ...input, ifMatch }), tag);
  }
}

const respond = (customer: Customer, tag: Tag): AdministeredCustomerResponse => tag.set(customer, toAdministeredCustomerResponse(customer));
