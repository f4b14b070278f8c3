import { PicturesRepository } from '../modules/media/index.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/**
 * `admin media reprocess-pictures`: discards the sizes of all pictures and what is known about their sources, after a change of the quality or of the
 * programs. Each size is made again for the next request; the discarded objects are deleted an hour later.
 */
export async function reprocessPictures(call: Call): Promise<Work> {
  return async (service) => {
    const sizes = await service.get(PicturesRepository).removeAll();
    await new Trail(service, call).record('media.reprocess-pictures', `sizes:${sizes}`, null);
    return { sizes };
  };
}
