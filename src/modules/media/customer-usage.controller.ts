import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { CustomerUsageResponse } from './customer-usage.dto.js';
import { MediaItemsRepository } from './media-items.repository.js';
import { PicturesRepository } from './pictures/pictures.repository.js';

@ApiTags('Customer')
@ApiBearerAuth('oauth2')
@Controller('v5/customer')
export class CustomerUsageController {
  constructor(
    private readonly quotas: QuotasService,
    private readonly items: MediaItemsRepository,
    private readonly pictures: PicturesRepository,
  ) {}

  /** Return how much of each quota the caller's customer uses, and how much it has stored. */
  @Get('usage')
  async get(@CurrentCaller() { customerId }: Caller): Promise<CustomerUsageResponse> {
    const [quotas, { bytes, items }, sizes] = await Promise.all([
      this.quotas.usage(customerId),
      this.items.sum(customerId),
      this.pictures.sumBytes(customerId),
    ]);
    return { quotas, storage: { bytes: bytes + sizes, items } };
  }
}
