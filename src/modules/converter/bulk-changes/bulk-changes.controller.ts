import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { Input, type JsonObject, SentBody } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { findUnknownMembers, refuseInvalid, toEnd, toMoment, withIgnored } from '../../../shared/validation/index.js';
import { BulkChangeDto, BulkChangeResponse, type BulkSetDto, findContradictions } from './bulk-change.dto.js';
import { BulkChangesService } from './bulk-changes.service.js';

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class BulkChangesController {
  constructor(private readonly changes: BulkChangesService) {}

  /**
   * Change up to 1,000 media containers at once: fields, trash and new renditions. Each container is changed completely or not at all; `failed`
   * lists those that are not, with the reason.
   */
  @Post('bulk')
  @Idempotent()
  @HttpCode(200)
  async change(@CurrentCaller() caller: Caller, @Input() input: BulkChangeDto, @SentBody() sent: JsonObject): Promise<BulkChangeResponse> {
    refuseInvalid(findContradictions(input));
    const result = await this.changes.change(caller, { ...input, set: input.set && withDates(input.set) });
    return withIgnored(result, findUnknownMembers(sent, input));
  }
}

const withDates = ({ start, end, ...set }: BulkSetDto) => ({ ...set, start: toMoment(start), end: toEnd(end) });
