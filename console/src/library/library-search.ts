import { MEDIA_TYPES, type MediaType } from '../elements/media-types';
import { readSelected } from '../elements/selection';

/** What the address of the library says: search, filters and order, and the selection if it is not too long. Absent: not filtered. */
export interface LibrarySearch {
  readonly search?: string;
  readonly type?: MediaType;
  readonly tag?: string;
  readonly extension?: string;
  /** Days in UTC, `2026-11-27`: added from the first to the last of them. */
  readonly after?: string;
  readonly before?: string;
  readonly state?: 'trash';
  /** Whether the file has a problem. */
  readonly problem?: 'true' | 'false';
  readonly sort?: 'name' | 'fileSize';
  readonly order?: 'asc';
  readonly view?: 'list';
  /** Ids of media containers. */
  readonly selected?: readonly number[];
}

const PROBLEM = ['true', 'false'] as const;

/** Reads the query of an address; what it does not know is left out. */
export function readLibrarySearch(query: Record<string, unknown>): LibrarySearch {
  const text = (name: string) => (query[name] === undefined || query[name] === '' ? undefined : String(query[name]));
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) => values.find((value) => value === query[name]);
  const day = (name: string) => (Number.isNaN(Date.parse(String(query[name]))) ? undefined : String(query[name]).slice(0, 10));
  return withoutUndefined({
    search: text('search'),
    type: oneOf('type', MEDIA_TYPES),
    tag: text('tag'),
    extension: text('extension'),
    after: day('after'),
    before: day('before'),
    state: oneOf('state', ['trash']),
    problem: PROBLEM.find((value) => value === String(query.problem)),
    sort: oneOf('sort', ['name', 'fileSize']),
    order: oneOf('order', ['asc']),
    view: oneOf('view', ['list']),
    selected: readSelected(query),
  });
}

const withoutUndefined = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;

/** Whether it shows a part of the media only. */
export const isFiltered = ({ search, type, tag, extension, after, before, problem }: LibrarySearch): boolean =>
  [search, type, tag, extension, after, before, problem].some((value) => value !== undefined);
