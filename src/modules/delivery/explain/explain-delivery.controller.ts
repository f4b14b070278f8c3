import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { DeliveryExplanationsService } from './delivery-explanations.service.js';
import { DeliveryExplanationResponse, DescribedViewerDto, ExplainDeliveryDto, toViewer } from './explain-delivery.dto.js';

@ApiTags('Delivery')
@ApiBearerAuth('oauth2')
@Controller('v5/playerconfiguration')
export class ExplainDeliveryController {
  constructor(
    private readonly explanations: DeliveryExplanationsService,
    private readonly config: Config,
  ) {}

  /** Explain which rules admit a described viewer and which refuse it. Nothing is delivered. */
  @Post(':id/explain')
  @HttpCode(200)
  @ApiBody({ type: DescribedViewerDto })
  @ApiErrors('id_mismatch', 'not_found')
  async explain(@CurrentCaller() caller: Caller, @Input() input: ExplainDeliveryDto): Promise<DeliveryExplanationResponse> {
    const { rules, ...explanation } = await this.explanations.explain(caller, input, toViewer(input, new URL(this.config.publicUrl).host));
    return { ...explanation, rules: [...rules] };
  }
}
