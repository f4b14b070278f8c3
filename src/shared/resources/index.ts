export { DELETED_LINKS_DAYS, LinkPageDto, type LinkState, PageDto } from './page.dto.js';
export { collectPage, DEFAULT_LIMIT, linkToNext, sendList, setNextLink } from './send-list.js';
