import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A format that a configuration delivers. */
@Entity('player_configuration_formats')
export class PlayerConfigurationFormat {
  @ForeignKey('player_configurations', { name: 'player_configuration_formats_player_configuration_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'player_configuration_formats_pkey' })
  playerConfigurationId: number;

  @Index('player_configuration_formats_format_id_idx')
  @ForeignKey('formats', { name: 'player_configuration_formats_format_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'player_configuration_formats_pkey' })
  formatId: number;

  /** Its place in the list, from 0. */
  @Column('integer')
  position: number;

  @Column('boolean', { default: false })
  downloadable: boolean;
}
