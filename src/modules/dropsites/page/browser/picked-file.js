import { mediaTypeOf, UploadFile } from '@media-delivery/sdk/uploader';

/** @typedef {{ path: string, file: File }} Picked a chosen file, with its path in the chosen folder */

/** The service's maximum length of a name. */
const MAX_NAME_LENGTH = 1_024;

/**
 * Converts a chosen file to a file to upload. Its name is the path, which distinguishes files with the same name; a path that is too long
 * is replaced by the end of the name.
 * @param {Picked} picked
 */
export function toUploadFile({ path, file }) {
  return withId({
    id: crypto.randomUUID(),
    path: path.length <= MAX_NAME_LENGTH ? path : file.name.slice(-MAX_NAME_LENGTH),
    size: file.size,
    lastModified: file.lastModified,
    type: mediaTypeOf(file.name, file.type),
    file,
  });
}

/**
 * A file whose id the service returns as `uuid`.
 * @param {import('@media-delivery/sdk/uploader').UploadFileOptions} file
 */
export const withId = (file) => new UploadFile({ ...file, fields: { uuid: file.id } });
