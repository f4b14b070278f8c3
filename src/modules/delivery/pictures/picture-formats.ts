import type { PictureFormat } from '../../formats/index.js';
import type { PictureSource } from '../../media/index.js';

/** The file types that clients can ask for; auto: the best one that the browser accepts. */
export const WANTED_FORMATS = ['auto', 'avif', 'webp', 'jpeg', 'png'] as const;
export type WantedFormat = (typeof WANTED_FORMATS)[number];

/** Chooses the file type of a picture. */
export class PictureFormats {
  private readonly accepted: readonly PictureFormat[];

  /** `accept`: the header (RFC 9110 section 12.5.1). Only types that it names count, because browsers without AVIF accept every image as well. */
  constructor(
    private readonly wanted: WantedFormat,
    accept = '',
  ) {
    const named = accept.split(',').flatMap((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [type];
    });
    this.accepted = (['avif', 'webp'] as const).filter((format) => named.includes(`image/${format}`));
  }

  /** What decides about the file type, as a text. */
  get name(): string {
    return this.wanted === 'auto' ? `auto ${this.accepted.join(' ')}` : this.wanted;
  }

  /** The file type of a picture. An animation stays one, if necessary as GIF, because AVIF would show its first picture only. */
  chooseFor({ animated, transparent }: Pick<PictureSource, 'animated' | 'transparent'>): PictureFormat {
    if (this.wanted !== 'auto') return this.wanted;
    if (animated) return this.accepted.includes('webp') ? 'webp' : 'gif';
    return this.accepted[0] ?? (transparent ? 'png' : 'jpeg');
  }

  /** Whether the client can show a file of this type. */
  accepts(format: string): boolean {
    if (this.wanted !== 'auto') return format === this.wanted;
    return !['avif', 'webp'].includes(format) || this.accepted.some((one) => one === format);
  }
}
