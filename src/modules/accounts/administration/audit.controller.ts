import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type AuditQuery, AuditService } from '../../../shared/audit/audit.service.js';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { DEFAULT_LIMIT, linkToNext } from '../../../shared/resources/index.js';
import { toTime } from '../../../shared/validation/index.js';
import { AdministrationService } from './administration.service.js';
import { AuditRecordResponse, FindAuditDto, toAuditRecordResponse } from './audit.dto.js';

/** One JSON document per line. */
const JSON_LINES = 'application/x-ndjson';

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/audit')
export class AuditController {
  constructor(
    private readonly administration: AdministrationService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Find audit records of the customer, the newest first, a page at a time; requires adminLevel 9 or above. With `Accept: application/x-ndjson`, all of
   * them (or the newest `limit`), one JSON object per line, sent as they are read.
   */
  @Get()
  @ApiExtraModels(AuditRecordResponse)
  @ApiOkResponse({
    description: 'The records.',
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: getSchemaPath(AuditRecordResponse) } } },
      [JSON_LINES]: { schema: { type: 'string' } },
    },
  })
  @ApiErrors('admin_level_not_sufficient', 'operator_only')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() input: FindAuditDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { limit, cursor, customerId, createdAfter, createdBefore, ...names } = input;
    const reach = await this.administration.reachOfFind(caller, customerId);
    const query = { ...names, ...reach, createdAfter: toTime(createdAfter), createdBefore: toTime(createdBefore) };
    response.vary('accept');
    const before = cursor || undefined; // 0 is the beginning, as in other lists
    if (request.accepts(['json', JSON_LINES]) === JSON_LINES) return await this.sendLines(response, query, { before, limit });
    const page = { before, limit: limit ?? DEFAULT_LIMIT };
    const records = await this.audit.find(query, page);
    const last = records.at(-1);
    if (last && records.length === page.limit) linkToNext(response, page.limit, last.id);
    response.json(records.map(toAuditRecordResponse));
  }

  /** Once the response has begun, a failure closes the connection. */
  private async sendLines(response: Response, query: AuditQuery, page: { before?: number; limit?: number }): Promise<void> {
    const records = this.audit.stream(query, page);
    const lines = async function* () {
      for await (const record of records) yield `${JSON.stringify(toAuditRecordResponse(record))}\n`;
    };
    response.type(JSON_LINES);
    await pipeline(Readable.from(lines()), response);
  }
}
