import type { MediaStreams } from '../../media/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** A film for all countries has a hundred streams and some dozen chapters; what a file has beyond these is not described. */
const MAX_STREAMS = 256;
const MAX_CHAPTERS = 1_000;
/** Characters of a text by the author of a file. */
const MAX_TEXT = 200;

const names = (list: string): readonly string[] => list.split(/\s+/);

/** The members that are kept. Others repeat these, or tell who made the file and where. */
const STREAM =
  names(`index codec_type codec_name profile level width height sample_aspect_ratio display_aspect_ratio pix_fmt field_order color_range
  color_space color_transfer color_primaries bits_per_raw_sample r_frame_rate avg_frame_rate time_base start_time duration nb_frames bit_rate
  sample_fmt sample_rate channels channel_layout bits_per_sample initial_padding`);
const STREAM_TAGS = names('language title rotate DURATION');
const SIDE_DATA = names(
  'side_data_type rotation dv_profile dv_level dv_bl_signal_compatibility_id max_content max_average min_luminance max_luminance',
);
const FORMAT = names('format_name nb_streams start_time duration bit_rate');
const FORMAT_TAGS = names('title artist album album_artist composer genre date track disc');
const CHAPTER = names('start_time end_time');

/** Reads the complete output of ffprobe (`-show_format -show_streams -show_chapters`); null: it found neither picture nor sound. */
export function readStreams(json: string): MediaStreams | null {
  const { format, streams, chapters } = fieldsOf(JSON.parse(json));
  const found = listOf(streams).slice(0, MAX_STREAMS);
  if (!found.some(({ codec_type }) => codec_type === 'video' || codec_type === 'audio')) return null;
  return {
    format: { ...pick(fieldsOf(format), FORMAT), tags: pick(fieldsOf(fieldsOf(format).tags), FORMAT_TAGS) },
    streams: found.map((stream) => ({
      ...pick(stream, STREAM),
      disposition: Object.fromEntries(Object.entries(fieldsOf(stream.disposition)).filter(([, value]) => value === 1)),
      tags: pick(fieldsOf(stream.tags), STREAM_TAGS),
      side_data_list: listOf(stream.side_data_list).map((data) => pick(data, SIDE_DATA)),
    })),
    chapters: listOf(chapters)
      .slice(0, MAX_CHAPTERS)
      .map((chapter) => ({ ...pick(chapter, CHAPTER), tags: pick(fieldsOf(chapter.tags), ['title']) })),
  };
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** PostgreSQL stores neither zero characters nor halves of a surrogate pair, which become U+FFFD. */
const cleanText = (text: string): string => Buffer.from(text.slice(0, MAX_TEXT).replaceAll('\0', '')).toString();

/** The members with these names whose values are numbers or texts, which are shortened. */
const pick = (fields: Fields, wanted: readonly string[]): Fields =>
  Object.fromEntries(
    wanted.flatMap((name): (readonly [string, unknown])[] => {
      const value = fields[name];
      if (typeof value === 'number') return [[name, value]];
      return typeof value === 'string' ? [[name, cleanText(value)]] : [];
    }),
  );
