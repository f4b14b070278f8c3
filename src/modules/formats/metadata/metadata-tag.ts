/** A field of a file and what is written into it. Lists, such as keywords, have several values. */
export interface MetadataTag {
  /** exiftool's name with its group: `IPTC:Keywords`, `XMP-dc:Title`. */
  readonly tag: string;
  readonly values: readonly string[];
  /** The definition it comes from; null: every image carries it. */
  readonly metaTitle: string | null;
}

/** A definition of which nothing is written. */
export interface SkippedMetadata {
  readonly metaTitle: string;
  readonly reason: string;
}
