import { byId } from './dom.js';

const { dataset } = byId('upload', HTMLElement);

/** The data of the dropsite that the template provides. */
export const dropsite = {
  link: dataset.link ?? '',
  name: dataset.name ?? '',
  allowAnonymous: dataset.allowAnonymous === 'true',
  requiresPassword: dataset.requiresPassword === 'true',
  allowedTypes: (dataset.allowedTypes ?? '').split(' ').filter(Boolean),
  maxItems: Number(dataset.maxItems || Number.POSITIVE_INFINITY),
  maxBytes: Number(dataset.maxBytes || Number.POSITIVE_INFINITY),
};
