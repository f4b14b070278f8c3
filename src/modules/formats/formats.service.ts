import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { type Caller, editorOf } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { type DomainError, generalErrors } from '../../shared/errors.js';
import { requireMatch } from '../../shared/http/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { findTooLarge, refuseInvalid } from '../../shared/validation/index.js';
import type { MediaType } from '../media/index.js';
import type { Format } from './format.entity.js';
import { FormatAvailabilityService } from './format-availability.service.js';
import type { CreateFormatDto, UpdateFormatDto } from './format-inputs.dto.js';
import { FormatReaderService, type VisibleFormats } from './format-reader.service.js';
import { checkBlueprint, checkUnchanged, FormatValidationService } from './format-validation.service.js';
import { formatErrors } from './formats.errors.js';
import { FormatsRepository } from './formats.repository.js';
import { fillMediaTypes, keepRaw, requireLevelForRaw, storedSettings } from './stored-settings.js';

/** The maximum number of formats that a find without paging returns (contract section 1). */
export const MAX_FOUND = 10_000;

/** Selects formats with ids after `after`, restricted by `id` and `mediaType` if given. */
interface FormatQuery {
  readonly id?: number;
  readonly mediaType?: MediaType;
  /** Whether they are read from the database although nothing has changed. */
  readonly refresh?: boolean;
  readonly after?: number;
  readonly limit?: number;
}

/** The formats found, and all formats that the customer sees. */
export interface FoundFormats {
  readonly found: readonly Format[];
  readonly visible: VisibleFormats;
  readonly fromCache: boolean;
  /** Why some of them cannot be made, by format id. */
  readonly reasons: ReadonlyMap<number, string>;
}

/** The format found. */
export type FoundFormat = Pick<FoundFormats, 'visible' | 'fromCache' | 'reasons'> & { readonly format: Format };

/** Reads and changes the formats of a customer, which all of its users may do; blueprints are read-only. */
@Injectable()
export class FormatsService {
  constructor(
    private readonly reader: FormatReaderService,
    private readonly formats: FormatsRepository,
    private readonly database: Database,
    private readonly validation: FormatValidationService,
    private readonly availability: FormatAvailabilityService,
    private readonly quotas: QuotasService,
    private readonly audit: AuditService,
  ) {}

  async list({ customerId }: Caller, query: FormatQuery): Promise<FoundFormats> {
    const { id, mediaType, refresh, after = 0, limit = MAX_FOUND } = query;
    const { visible, fromCache } = await this.reader.readVisible(customerId, { refresh });
    const found = visible.all.filter(
      (format) =>
        format.id > after && (id === undefined || format.id === id) && (!mediaType || format.settings.mediaTypes?.includes(mediaType)),
    );
    const page = found.slice(0, limit);
    return { found: page, visible, fromCache, reasons: await this.availability.findReasons(page, visible) };
  }

  /** Returns a format. Throws `not_found`. */
  async get({ customerId }: Caller, id: number, { refresh = false } = {}): Promise<FoundFormat> {
    const { visible, fromCache } = await this.reader.readVisible(customerId, { refresh });
    const format = visible.byId.get(id);
    if (!format) throw notFound(id);
    return { format, visible, fromCache, reasons: await this.availability.findReasons([format], visible) };
  }

  /** Creates a format and returns its id. Throws `validation_failed`, `quota_exceeded`, `admin_level_not_sufficient` for raw parameters. */
  async create(caller: Caller, input: CreateFormatDto): Promise<number> {
    requireLevelForRaw(caller, input, null);
    const { customerId, userId } = caller;
    const { blueprintId, converter, name, usage = 'transcoding' } = input;
    const blueprint = await this.reader.find(customerId, blueprintId);
    const stored = fillMediaTypes(storedSettings(null, input), input, { before: null, blueprint });
    const problems = await this.validation.findProblems({ customerId, converter, ...stored }, input, { before: null, blueprint });
    refuseInvalid([...checkBlueprint(input, blueprint), ...problems]);
    const format = { customerId, blueprintId, converter, name, usage, ...stored, creatorId: userId, ...editorOf(caller) };
    return await this.database.transaction(async () => {
      await this.quotas.reserve(customerId, 'formats');
      const { id } = await this.formats.save(format);
      await this.audit.note(caller, { action: 'format.create', subject: `format:${id}` });
      return id;
    });
  }

  /**
   * Changes a format. Throws `not_found`, `blueprint_read_only`, `precondition_failed`, `validation_failed`, and `admin_level_not_sufficient` for raw
   * parameters.
   */
  async update(caller: Caller, input: UpdateFormatDto & { readonly ifMatch?: string }): Promise<number> {
    const { format: seen, visible } = await this.get(caller, input.id);
    if (seen.customerId === null) throw formatErrors.blueprint_read_only(`The format ${input.id} is a blueprint and cannot be changed.`);
    const blueprint = visible.byId.get(seen.blueprintId ?? 0) ?? null;
    return await this.database.transaction(async () => {
      const format = await this.formats.lockForCustomer(caller.customerId, input.id);
      if (!format || format.destroyJobId !== null) throw notFound(input.id);
      requireMatch(input.ifMatch, format, `format ${input.id}`);
      requireLevelForRaw(caller, input, format);
      const { name, usage = format.usage } = input;
      const context = { before: format, blueprint };
      const stored = fillMediaTypes(keepRaw(caller, storedSettings(format, input), format), input, context);
      const changed = { ...format, name, usage, ...editorOf(caller), ...stored };
      refuseInvalid([
        ...findTooLarge({ settings: changed.settings, configuration: changed.configuration }, withTargetOfCommand(input)),
        ...checkUnchanged(input, format),
        ...(await this.validation.findProblems({ ...changed, customerId: caller.customerId }, input, context)),
      ]);
      const { id, version } = await this.formats.save(changed);
      if (version !== format.version) await this.audit.note(caller, { action: 'format.update', subject: `format:${id}` });
      return id;
    });
  }
}

/** Marks `settings` as changed if the deprecated `command` was sent, because it is stored there. */
const withTargetOfCommand = <Input extends { readonly command?: unknown }>(input: Input): object =>
  input.command ? { ...input, settings: true } : input;

const notFound = (id: number): DomainError => generalErrors.not_found(`There is no format ${id}.`);
