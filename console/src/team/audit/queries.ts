import type { components } from '@media-delivery/sdk';
import { usePages } from '../../elements/use-pages';
import { keys } from '../../query-keys';
import { api } from '../../session';
import { type AuditSearch, toFilters } from './audit-search';

export type AuditRecord = components['schemas']['AuditRecordResponse'];

/** Records of one request. */
const PAGE = 50;

/** The audit records that match the filters, the newest first. */
export const useAudit = (search: AuditSearch) =>
  usePages(keys.audit.list(search), async (page, signal) => {
    return await api.GET('/v5/audit', { params: { query: { ...toFilters(search), limit: PAGE, ...page } }, signal });
  });

/** All audit records that match the filters, as a file with a JSON object in each line. */
export async function downloadAudit(search: AuditSearch): Promise<Blob> {
  const headers = { Accept: 'application/x-ndjson' } as const;
  const { data } = await api.GET('/v5/audit', { params: { query: toFilters(search) }, headers, parseAs: 'blob' });
  return data;
}
