import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

const KEY_NAME = 'picture_sources_pkey';

/** What was found out about a picture that is delivered in several sizes. */
@Entity('picture_sources')
export class PictureSource {
  @ForeignKey('media_items', { name: 'picture_sources_media_item_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: KEY_NAME })
  mediaItemId: number;

  /** Identifies the content of the file (`contentMark`), so that a replaced file is examined again. */
  @PrimaryColumn('text', { primaryKeyConstraintName: KEY_NAME })
  content: string;

  /** False: the file is damaged, too large, or not a picture, so that no size of it is ever made. */
  @Column('boolean')
  readable: boolean;

  /** Pixels, as viewers see it; 0: not readable. */
  @Column('integer')
  width: number;

  @Column('integer')
  height: number;

  @Column('boolean')
  animated: boolean;

  @Column('boolean')
  transparent: boolean;
}
