import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPictureHeader } from '../../src/modules/converter/execution/read-picture-header.js';
import { parseProbe } from '../../src/modules/formats/index.js';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';

const stage = useExecutionStage();

describe('the header of a picture agrees with ffprobe', () => {
  it.each([
    ['baseline.jpg', ['-sampling-factor', '4:2:0']],
    ['progressive.jpg', ['-interlace', 'Plane']],
    ['grey.jpg', ['-colorspace', 'Gray']],
    ['cmyk.jpg', ['-colorspace', 'CMYK']],
    ['commented.jpg', ['-set', 'comment', 'x'.repeat(60_000)]],
    ['plain.png', []],
    ['interlaced.png', ['-interlace', 'PNG']],
    ['deep.png', ['-depth', '16']],
    ['palette.png', ['-colors', '4', '-type', 'Palette']],
    ['lossy.webp', ['-quality', '60']],
    ['lossless.webp', ['-define', 'webp:lossless=true']],
    ['transparent.webp', ['-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '40%']],
  ])('%s', async (name, options) => {
    const file = path.join(stage.folder, name);
    await run(stage.folder, 'convert', ['-size', '323x241', 'plasma:tomato-steelblue', ...options, file]);
    const json = await run(stage.folder, 'ffprobe', ['-v', 'error', '-print_format', 'json', '-show_streams', '-show_format', file]);
    const { width, height, videoCodec, audioCodec, rotation } = parseProbe(json);
    expect(await readPictureHeader(file, null)).toMatchObject({ width, height, videoCodec, audioCodec, rotation });
    expect({ width, height }).toEqual({ width: 323, height: 241 });
  });
});
