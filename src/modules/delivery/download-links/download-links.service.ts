import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { type DomainError, type FieldProblem, generalErrors } from '../../../shared/errors/index.js';
import { FormatReader } from '../../formats/index.js';
import { MediaReader } from '../../media/index.js';
import type { DownloadLink } from './download-link.entity.js';
import { type DownloadLinkPage, DownloadLinksRepository } from './download-links.repository.js';

/** A download link as somebody wants it. */
export interface NewDownloadLink {
  readonly customerId: number;
  readonly creatorId: number;
  readonly mediaContainerIds: readonly number[];
  readonly formatIds: readonly number[];
  readonly templateId?: number;
  readonly title?: string;
  readonly start?: Date | null;
  readonly end?: Date | null;
}

/** Pages from which people download files. Any user of the customer may manage them. */
@Injectable()
export class DownloadLinks {
  constructor(
    private readonly links: DownloadLinksRepository,
    private readonly media: MediaReader,
    private readonly formats: FormatReader,
  ) {}

  /** Throws `validation_failed` with `not_found` for what the customer does not have, and `not_downloadable` for formats of previews. */
  async create({ mediaContainerIds, formatIds, ...link }: NewDownloadLink): Promise<DownloadLink> {
    const errors = [...(await this.findProblems({ ...link, mediaContainerIds, formatIds })), ...checkTimes(link)];
    if (errors.length > 0) throw invalid(errors);
    return await this.links.insert({ ...link, link: randomUUID(), mediaContainerIds: [...mediaContainerIds], formatIds: [...formatIds] });
  }

  /** What of it the customer does not have, and which formats are not for downloads, each with its path (`formatIds.0`). */
  async findProblems(link: Pick<NewDownloadLink, 'customerId' | 'mediaContainerIds' | 'formatIds'>): Promise<FieldProblem[]> {
    const [containers, formats] = await Promise.all([
      this.checkContainers(link.customerId, link.mediaContainerIds),
      this.checkFormats(link.customerId, link.formatIds),
    ]);
    return [...containers, ...formats];
  }

  /** A page of the customer's links, or the one of this id. */
  async list({ customerId }: Caller, page: DownloadLinkPage): Promise<DownloadLink[]> {
    return await this.links.list(customerId, page);
  }

  /** Throws `not_found`. */
  async get({ customerId }: Caller, id: number): Promise<DownloadLink> {
    return (await this.links.findForCustomer(customerId, id)) ?? unknown(id);
  }

  /** From then on there is nothing at its address. Throws `not_found`. */
  async delete({ customerId }: Caller, id: number): Promise<void> {
    if (!(await this.links.delete(customerId, id))) unknown(id);
  }

  private async checkContainers(customerId: number, ids: readonly number[]): Promise<FieldProblem[]> {
    const known = new Set((await this.media.findMany(customerId, ids)).map(({ container }) => container.id));
    return ids.flatMap((id, index) => {
      const path = `mediaContainerIds.${index}`;
      return known.has(id) ? [] : [{ path, code: 'not_found', message: `there is no media container ${id}` }];
    });
  }

  private async checkFormats(customerId: number, ids: readonly number[]): Promise<FieldProblem[]> {
    const { byId } = (await this.formats.visibleTo(customerId)).value;
    return ids.flatMap((id, index) => {
      const [path, format] = [`formatIds.${index}`, byId.get(id)];
      if (format?.flag !== 0) return [{ path, code: 'not_found', message: `there is no format ${id}` }];
      if (format.usage === 'preview') return [{ path, code: 'not_downloadable', message: `format ${id} is for previews only` }];
      return [];
    });
  }
}

function checkTimes({ start, end }: Pick<NewDownloadLink, 'start' | 'end'>): FieldProblem[] {
  if (!start || !end || start < end) return [];
  return [{ path: 'end', code: 'end_before_start', message: 'end must be later than start' }];
}

function invalid(errors: readonly FieldProblem[]): DomainError {
  const text = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${text}.`, { errors });
}

function unknown(id: number): never {
  throw generalErrors.not_found(`There is no download link ${id}.`);
}
