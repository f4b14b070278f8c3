import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiErrors, Input } from '../../shared/http/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { AdministrationService } from '../accounts/index.js';
import { MediaItemsRepository, PicturesRepository } from '../media/index.js';
import { CustomerUsageDto, CustomerUsageResponse } from './customer-usage.dto.js';

@ApiTags('Customer')
@ApiBearerAuth('oauth2')
@Controller('v5/customer')
export class CustomerUsageController {
  constructor(
    private readonly administration: AdministrationService,
    private readonly quotas: QuotasService,
    private readonly items: MediaItemsRepository,
    private readonly pictures: PicturesRepository,
  ) {}

  /** Return how much of each quota the caller's customer uses, and how much it has stored. Operators may name another customer. */
  @Get('usage')
  @ApiErrors('operator_only', 'not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { customerId: wanted }: CustomerUsageDto): Promise<CustomerUsageResponse> {
    const customerId = await this.administration.customerToRead(caller, wanted);
    const [quotas, { bytes, items }, sizes] = await Promise.all([
      this.quotas.usage(customerId),
      this.items.sum(customerId),
      this.pictures.sumBytes(customerId),
    ]);
    return { quotas, storage: { bytes: bytes + sizes, items } };
  }
}
