import { describe, expect, it } from '@jest/globals';
import { toFormatFields } from './format-inputs.dto.js';

const filetypeOf = (filetype: string) => toFormatFields({ name: 'x', settings: { filetype } }).settings?.filetype;

describe('the file type of a format', () => {
  it.each([
    ['mp4', 'mp4'],
    ['.MP4', 'mp4'],
    ['jpeg', 'jpg'],
    ['.JPEG', 'jpg'],
    ['tif', 'tiff'],
    ['tiff', 'tiff'],
    ['constructor', 'constructor'],
  ])('%s is %s', (sent, meant) => {
    expect(filetypeOf(sent)).toBe(meant);
  });
});
