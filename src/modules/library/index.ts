export { type ContainerPreview, ContainerPreviews, type PreviewFinder } from './container-previews.port.js';
export { DropsiteLinks } from './finds/dropsite-links.port.js';
export { MediaSearchEntry } from './finds/media-search-entry.entity.js';
export { LibraryModule } from './library.module.js';
export { MAX_TAGS, MediaContainerChangesDto } from './media-container-input.dto.js';
export { type BulkContainerChanges, type ContainerWithMedia, MediaContainersService } from './media-containers.service.js';
