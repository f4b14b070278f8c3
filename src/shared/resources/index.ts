export { ID_IN_BODY, IdInBody } from './id-in-body.js';
export { DeletedOf, IdOf } from './id-of.js';
export { DELETED_LINKS_DAYS, LinkPageDto, type LinkState, PageDto } from './page.dto.js';
export { collectPage, DEFAULT_LIMIT, linkToNext, sendList, setNextLink } from './send-list.js';
