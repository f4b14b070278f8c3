import { describe, expect, it } from '@jest/globals';
import { describeMissing } from './format-availability.service.js';

describe('what is said of missing programs', () => {
  it.each([
    [['ffmpeg'], 'No worker has ffmpeg; the operator can install what is missing (npm run install:tools).'],
    [
      ['convert', 'ffprobe', 'exiftool'],
      'No worker has convert (ImageMagick), ffprobe and exiftool; the operator can install what is missing (npm run install:tools).',
    ],
    [['cli:upper-case'], 'No worker offers the tool "upper-case"; the operator can list it in cli-tools.json.'],
    [['cli:'], 'It names no tool of the operator (settings.parameters.tool).'],
  ])('%j', (programs, sentence) => {
    expect(describeMissing(programs)).toBe(sentence);
  });

  it('is that no worker may run them, where no machine can isolate programs', () => {
    expect(describeMissing(['soffice', 'cli:upper-case'], true)).toBe(
      'No worker may run soffice (LibreOffice) and the tool "upper-case": its machine cannot isolate programs; the operator finds the reason in /health/ready and what to do in docs/converter.md.',
    );
    expect(describeMissing(['cli:'], true)).toBe('It names no tool of the operator (settings.parameters.tool).');
  });
});
