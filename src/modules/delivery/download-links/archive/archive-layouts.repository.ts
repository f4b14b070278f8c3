import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { Clock } from '../../../../shared/clock.js';
import { Database } from '../../../../shared/database/index.js';
import type { Range } from '../../../../shared/http/index.js';
import { HousekeepingService } from '../../../../shared/jobs/index.js';
import { type ArchivedObject, ArchiveLayout, ArchiveLayoutSection } from './archive-layout.entity.js';
import type { ZipSection, ZipSections } from './zip-layout.js';

/** Longer than a download takes as a rule; one that is continued later gets the same archive, which is laid out again. */
const EXPIRES_MS = 24 * 3_600_000;

/** What identifies a layout. */
export type LayoutKey = Pick<ArchiveLayout, 'downloadLinkId' | 'version'>;

/** Keeps the layouts of archives, for all processes. A layout is found by what it depends on, so a change leaves it to expire. */
@Injectable()
export class ArchiveLayoutsRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('archive_layouts', 'expires_at < $1');
  }

  /** Finds the layout of this version that is valid now, or null. */
  async find({ downloadLinkId, version }: LayoutKey): Promise<ArchiveLayout | null> {
    const now = this.clock.now();
    const [from, until] = [LessThanOrEqual(now), MoreThan(now)];
    const key = { downloadLinkId, version };
    const where = [IsNull(), from].flatMap((validFrom) => [IsNull(), until].map((validUntil) => ({ ...key, validFrom, validUntil })));
    return await this.layouts.findOne({ where, order: { id: 'DESC' } });
  }

  /** Runs `make` unless the layout exists; other processes that want it meanwhile wait. Returns the layout. */
  async findOrMake(key: LayoutKey, make: () => Promise<ArchiveLayout>): Promise<ArchiveLayout> {
    return await this.database.transaction(async () => {
      await this.database.lock(`archive layout ${key.downloadLinkId}`);
      return (await this.find(key)) ?? (await make());
    });
  }

  /** Adds a layout without files, in the transaction of `findOrMake`. */
  async start(key: LayoutKey, validity: Pick<ArchiveLayout, 'validFrom' | 'validUntil'>): Promise<ArchiveLayout> {
    const expiresAt = new Date(this.clock.now().getTime() + EXPIRES_MS);
    const empty = { etag: '', files: 0, complete: false, directoryAt: 0, directoryBytes: 0 };
    return await this.layouts.save(this.layouts.create({ ...key, ...validity, ...empty, expiresAt }));
  }

  /** Adds a section to a layout that is being made. */
  async addSection(layoutId: number, { files, filesEnd, headersEnd }: ZipSection<ArchivedObject>): Promise<void> {
    const kept = files.map((file) => ({ ...file, modifiedAt: file.modifiedAt.toISOString() }));
    await this.sections.insert({ layoutId, filesEnd, headersEnd, files: kept });
  }

  /** Records the totals of a layout whose sections have been added. */
  async finish(layout: ArchiveLayout): Promise<ArchiveLayout> {
    return await this.layouts.save(layout);
  }

  /** The sections of a layout, each of which is read when it is needed. */
  sectionsOf(layoutId: number): ZipSections<ArchivedObject> {
    const read = (end: 'filesEnd' | 'headersEnd') => (range: Range) => this.readSections(layoutId, end, range);
    return { withFiles: read('filesEnd'), withHeaders: read('headersEnd') };
  }

  /** Throws if the layout has expired. */
  private async *readSections(
    layoutId: number,
    end: 'filesEnd' | 'headersEnd',
    range: Range,
  ): AsyncGenerator<ZipSection<ArchivedObject>, void> {
    for (let at = range.start; at <= range.end; ) {
      const found = await this.sections.findOne({ where: { layoutId, [end]: MoreThan(at) }, order: { [end]: 'ASC' } });
      if (!found) throw new Error('The layout of an archive has expired while it was sent.');
      yield { ...found, files: found.files.map((file) => ({ ...file, modifiedAt: new Date(file.modifiedAt) })) };
      at = found[end];
    }
  }

  private get layouts() {
    return this.database.repository(ArchiveLayout);
  }

  private get sections() {
    return this.database.repository(ArchiveLayoutSection);
  }
}
