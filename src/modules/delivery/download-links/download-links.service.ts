import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import type { Caller } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { type FieldProblem, generalErrors } from '../../../shared/errors.js';
import { requireMatch, type Versioned } from '../../../shared/http/index.js';
import { QuotasService } from '../../../shared/quotas/index.js';
import type { IgnoredInputResponse } from '../../../shared/validation/index.js';
import { FORMAT_DESTROYED, type Format, FormatReaderService } from '../../formats/index.js';
import { type ContainerForDelivery, IN_TRASH, MediaReaderRepository } from '../../media/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import type { DownloadLink } from './download-link.entity.js';
import { type DownloadLinkPage, DownloadLinksRepository } from './download-links.repository.js';

/** A download link to create. */
export interface NewDownloadLink {
  readonly mediaContainerIds: readonly number[];
  readonly formatIds: readonly number[];
  readonly templateId?: number;
  readonly title?: string;
  readonly start?: Date | null;
  readonly end?: Date | null;
}

/** Pages from which people download files. Any user of the customer may manage them. */
@Injectable()
export class DownloadLinksService {
  constructor(
    private readonly links: DownloadLinksRepository,
    private readonly media: MediaReaderRepository,
    private readonly formats: FormatReaderService,
    private readonly database: Database,
    private readonly quotas: QuotasService,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates a download link. Throws what `refuseDownloadLink` throws, for the problems of `findProblems` and for `end_before_start`, and
   * `quota_exceeded`.
   */
  async create(caller: Caller, { mediaContainerIds, formatIds, ...rest }: NewDownloadLink): Promise<DownloadLink> {
    const { customerId, userId: creatorId } = caller;
    const errors = [...(await this.findProblems({ customerId, mediaContainerIds, formatIds })), ...checkTimes(rest)];
    refuseDownloadLink(errors);
    const content = { mediaContainerIds: [...mediaContainerIds], formatIds: [...formatIds] };
    return await this.database.transaction(async () => {
      await this.quotas.reserve(customerId, 'downloadLinks');
      const link = await this.links.insert({ ...rest, ...content, customerId, creatorId, link: randomUUID() });
      await this.audit.note(caller, { action: 'download_link.create', subject: `download_link:${link.id}` });
      return link;
    });
  }

  /**
   * Finds containers and formats that the customer does not have, containers in the trash, and formats that cannot be downloaded or do not apply to
   * the media type of any container; each with its path (`formatIds.0`).
   */
  async findProblems(
    link: Pick<NewDownloadLink, 'mediaContainerIds' | 'formatIds'> & { readonly customerId: number },
  ): Promise<FieldProblem[]> {
    const [found, visible] = await Promise.all([
      this.media.findMany(link.customerId, link.mediaContainerIds),
      this.formats.visibleTo(link.customerId),
    ]);
    const byId = new Map(found.map((entry) => [entry.container.id, entry]));
    return [
      ...link.mediaContainerIds.flatMap((id, index) => checkContainer(id, `mediaContainerIds.${index}`, byId.get(id))),
      ...link.formatIds.flatMap((id, index) => checkFormat(visible.byId.get(id), { id, path: `formatIds.${index}`, containers: found })),
    ];
  }

  /** A page of the customer's links, or the one with `id`. */
  async list({ customerId }: Caller, page: DownloadLinkPage): Promise<DownloadLink[]> {
    return await this.links.list(customerId, page, this.clock.now());
  }

  /** Returns a download link of the customer. Throws `not_found`. */
  async get({ customerId }: Caller, id: number): Promise<DownloadLink> {
    return (await this.links.findForCustomer(customerId, id)) ?? unknown(id);
  }

  /** Deletes a download link; its address then answers 410, and 404 after 90 days. Throws `not_found`, `precondition_failed`. */
  async delete(caller: Caller, id: number, ifMatch?: string): Promise<void> {
    requireMatch(ifMatch, versioned(await this.get(caller, id)), `download link ${id}`);
    await this.database.transaction(async () => {
      if (!(await this.links.delete(caller.customerId, id, { at: this.clock.now(), by: caller.userId }))) unknown(id);
      await this.audit.note(caller, { action: 'download_link.delete', subject: `download_link:${id}` });
    });
  }
}

function checkContainer(id: number, path: string, found: ContainerForDelivery | undefined): FieldProblem[] {
  if (!found) return [{ path, code: 'not_found', message: `there is no media container ${id}` }];
  return found.container.flag === IN_TRASH ? [{ path, code: 'in_trash', message: `media container ${id} is in the trash` }] : [];
}

interface NamedFormat {
  readonly id: number;
  readonly path: string;
  /** All containers of the link that exist. */
  readonly containers: readonly ContainerForDelivery[];
}

/** Checks a format. A deleted one is accepted as long as one of the containers has a file of it. */
function checkFormat(format: Format | undefined, { id, path, containers }: NamedFormat): FieldProblem[] {
  if (!format) return [{ path, code: 'not_found', message: `there is no format ${id}` }];
  if (format.flag === FORMAT_DESTROYED && !containers.some((entry) => hasFileOf(entry, id))) {
    return [{ path, code: 'format_deleted', message: `format ${id} is deleted` }];
  }
  if (format.usage === 'preview') return [{ path, code: 'not_downloadable', message: `format ${id} is for previews only` }];
  if (format.settings.useInPlayer === false) {
    return [{ path, code: 'not_downloadable', message: `format ${id} is not for pages, because its useInPlayer is false` }];
  }
  if (format.settings.testMode) return [{ path, code: 'not_downloadable', message: `format ${id} is in test mode` }];
  if (containers.length === 0 || containers.some((entry) => canHave(entry, format))) return [];
  const types = (format.settings.mediaTypes ?? []).join(', ');
  return [
    { path, code: 'not_of_containers', message: `format ${id} is for ${types || 'no media type'}, which none of the media containers is` },
  ];
}

/** Whether a container can have a format: one for its media type, or one of which it already has a file, such as the original of a watermark. */
const canHave = ({ container, items }: ContainerForDelivery, { id, settings }: Format): boolean =>
  (settings.mediaTypes ?? []).some((type) => type === container.type) || hasFileOf({ items }, id);

const hasFileOf = ({ items }: Pick<ContainerForDelivery, 'items'>, id: number): boolean => items.some(({ formatId }) => formatId === id);

function checkTimes({ start, end }: Pick<NewDownloadLink, 'start' | 'end'>): FieldProblem[] {
  if (!start || !end || start < end) return [];
  return [{ path: 'end', code: 'end_before_start', message: 'end must be later than start' }];
}

/**
 * Rejects a download link with problems: 400 `in_trash` if the only problem is containers in the trash (contract section 12.1), otherwise 400
 * `validation_failed`; both with all problems in `errors`.
 */
export function refuseDownloadLink(errors: readonly FieldProblem[]): void {
  if (errors.length === 0) return;
  const text = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const isTrashOnly = errors.every(({ code }) => code === 'in_trash');
  const refusal = isTrashOnly ? deliveryErrors.in_trash : generalErrors.validation_failed;
  throw refusal(`The input is not valid. ${text}.`, { errors });
}

/** A download link has one version, because it never changes. */
export const versioned = ({ id }: DownloadLink): Versioned => ({ id, version: 1 });

function unknown(id: number): never {
  throw generalErrors.not_found(`There is no download link ${id}.`);
}

/** A `templateId` other than 0 is stored but has no effect: the service has a single page for downloads. */
export const findIgnoredTemplate = (templateId: number | null | undefined, path: string): IgnoredInputResponse[] =>
  templateId ? [{ path, reason: `there is no template ${templateId}; the page is the default one (0)` }] : [];
