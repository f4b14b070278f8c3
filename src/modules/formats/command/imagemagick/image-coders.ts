/**
 * ImageMagick's coders by file extension. A coder is always named: by itself ImageMagick goes by the content, and some contents (SVG, MVG,
 * MSL, PS) are programs that read files and open addresses.
 */
export const READ_CODERS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['jpe', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['tif', 'tiff'],
  ['tiff', 'tiff'],
  ['bmp', 'bmp'],
  ['heic', 'heic'],
  ['heif', 'heic'],
  ['avif', 'avif'],
  ['jp2', 'jp2'],
  ['psd', 'psd'],
]);

/** What is made, by `filetype`. */
export const WRITTEN_CODERS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['tiff', 'tiff'],
]);

/** The extension's coder for reading; null: no image that is taken. */
export const findReadCoder = (extension: string | null): string | null =>
  READ_CODERS.get((extension ?? '').toLowerCase().replace(/^\./, '')) ?? null;
