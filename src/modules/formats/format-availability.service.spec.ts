import { describe, expect, it } from '@jest/globals';
import { describeMissing } from './format-availability.service.js';

describe('the reason for an unavailable format', () => {
  it.each([
    [['ffmpeg'], 'No worker has ffmpeg; the operator can install what is missing (npm run install:tools).'],
    [
      ['convert', 'ffprobe', 'exiftool|sharp'],
      'No worker has convert (ImageMagick), ffprobe and exiftool; the operator can install what is missing (npm run install:tools).',
    ],
    [['sharp'], 'No worker has sharp; the operator can install the service with its optional packages (npm ci).'],
    [['cli:upper-case'], 'No worker offers the tool "upper-case"; the operator can list it in cli-tools.json.'],
    [['cli:'], 'The format does not name a tool of the operator (settings.parameters.tool).'],
  ])('%j', (programs, sentence) => {
    expect(describeMissing(programs)).toBe(sentence);
  });

  it('says that no worker may run programs if no machine can isolate them', () => {
    expect(describeMissing(['soffice', 'cli:upper-case'], true)).toBe(
      'No worker may run soffice (LibreOffice) and the tool "upper-case": its machine cannot isolate programs; the operator finds the reason in /health/ready and what to do in docs/converter.md.',
    );
    expect(describeMissing(['cli:'], true)).toBe('The format does not name a tool of the operator (settings.parameters.tool).');
  });
});
