import { BLUEPRINTS } from '../../../src/modules/formats/blueprints/blueprints.js';
import type { InvocationRequest } from '../../../src/modules/formats/converters/build-invocation.js';
import type { Invocation, SourceFacts } from '../../../src/modules/formats/converters/converter.js';
import { mergeParameters } from '../../../src/modules/formats/converters/merge-parameters.js';
import { UNKNOWN_FACTS } from '../../../src/modules/formats/converters/source-facts.js';
import type { FormatSettings } from '../../../src/modules/formats/format-settings.dto.js';
import type { Parameters } from '../../../src/modules/formats/format-settings.js';

/** For specs: the facts of a source of a type. */
export const aSource = (facts: Partial<SourceFacts> = {}): SourceFacts => ({
  ...UNKNOWN_FACTS,
  mediaType: 'video',
  width: 1920,
  height: 1080,
  rotation: 0,
  duration: 60,
  frameRate: 25,
  baseFrameRate: 25,
  hasAudio: true,
  hasVideo: true,
  fileExtension: 'mp4',
  ...facts,
});

export const AN_IMAGE = aSource({ mediaType: 'image', width: 4000, height: 3000, fileExtension: 'jpg' });
export const A_DOCUMENT = aSource({ mediaType: 'document', width: null, height: null, fileExtension: 'docx' });
export const A_SOUND = aSource({ mediaType: 'audio', width: null, height: null, hasVideo: false, fileExtension: 'wav' });

/** What changes beside a blueprint. */
export interface Change extends Partial<Omit<InvocationRequest, 'settings' | 'command'>> {
  readonly settings?: FormatSettings;
  /** Parameters of the custom format. */
  readonly parameters?: Parameters;
}

/** For specs: a request to make a custom format of a blueprint. */
export function aRequest(key: string, { settings = {}, parameters = {}, ...more }: Change = {}): InvocationRequest {
  const blueprint = BLUEPRINTS.find((one) => one.key === key);
  if (!blueprint) throw new Error(`No blueprint ${key}`);
  const { converter } = blueprint;
  const custom = { ...settings, parameters };
  const mediaTypes = blueprint.settings.mediaTypes ?? [];
  const { command } = mergeParameters({ blueprint: blueprint.settings, custom, converter, mediaTypes });
  return {
    converter,
    command,
    settings: { ...blueprint.settings, ...settings },
    customerTimecode: null,
    source: SOURCES[mediaTypes[0] ?? 'video'],
    watermark: null,
    folder: '/jobs/1',
    tools: [],
    programs: ['convert', 'ffmpeg', 'ffprobe', 'exiftool', 'heif-convert', 'sharp'],
    xmp: null,
    ...more,
  };
}

const SOURCES = { video: aSource(), audio: A_SOUND, image: AN_IMAGE, document: A_DOCUMENT };

/** An option, a bracket, or a file of ImageMagick's. */
const BEGINS_LINE = /^(--?[A-Za-z]|[(]|[a-z]+:(input|output|watermark))/;

/** A job of sharp, one property per line. */
const propertiesOf = (json: string): string =>
  Object.entries(JSON.parse(json) as object)
    .map(([name, value]) => `\n  ${name} ${JSON.stringify(value)}`)
    .join('');

/** An invocation as people write it: each option on a line of its own, with its values. */
export function print(invocation: Invocation): string {
  if (invocation.kind !== 'run') return `${JSON.stringify(invocation)}\n`;
  const steps = invocation.steps.map(({ program, leading, argv, stdout }) => {
    if (program === 'sharp') return `sharp ${argv[0]}${propertiesOf(argv[1] ?? '{}')}`;
    const lines = argv.map((argument) => (BEGINS_LINE.test(argument) ? '\n  ' : ' ') + (argument === '' ? "''" : argument));
    const name = typeof program === 'string' ? program : `tool ${program.tool}`;
    return `${name}${leading ? `\n  (options by ${leading.file})` : ''}${lines.join('')}${stdout ? `\n  > ${stdout}` : ''}`;
  });
  const inputs = Object.values(invocation.inputs).filter((name) => name !== null);
  return `${[`reads ${inputs.join(', ')}`, ...invocation.files.map(({ name }) => `writes ${name}`), ...steps, `makes ${invocation.output}`].join('\n')}\n`;
}
