export type MediaType = 'video' | 'audio' | 'image' | 'document';

/** Types that browsers do not know: formats of cameras and studios. */
const BY_EXTENSION: ReadonlyMap<string, MediaType> = new Map(
  (
    [
      ['video', '3g2 3gp asf avi braw flv m2ts m4v mkv mov mp4 mpeg mpg mts mxf ogv r3d ts vob webm wmv'],
      ['audio', 'aac aif aiff alac amr ape caf flac m4a mid midi mp3 oga ogg opus wav wma'],
      ['image', '3fr ai arw avif bmp cr2 cr3 dng eps gif heic heif ico jfif jp2 jpeg jpg nef orf png psd raf raw rw2 svg tif tiff webp'],
    ] as const
  ).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

/**
 * The media type of a file; everything that is not video, audio or an image is a document. `mimeType`: as the browser knows it; empty if it
 * does not.
 */
export function mediaTypeOf(name: string, mimeType: string): MediaType {
  const [kind] = mimeType.split('/');
  const known = BY_EXTENSION.get(extensionOf(name));
  if (known) return known;
  return kind === 'video' || kind === 'audio' || kind === 'image' ? kind : 'document';
}

/** The extension in lower case, without dot; empty if there is no valid one. */
export const extensionOf = (name: string): string => (/[^/]\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1] ?? '').toLowerCase();
