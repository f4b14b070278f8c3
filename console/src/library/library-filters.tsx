import { Button, Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lengthOf } from '../elements/input-limits';
import { MEDIA_TYPES } from '../elements/media-types';
import { SearchField } from '../elements/search-field';
import { useFormats } from '../language';
import { useMessages } from './library.messages';
import type { LibrarySearch } from './library-search';
import { useFacets } from './queries';

/** A longer tag would widen its menu beyond the window. */
const MAX_LABEL = 60;

interface Props {
  readonly search: LibrarySearch;
  readonly onChange: (changes: Partial<LibrarySearch>) => void;
}

/** Search, filters with the number of matches of each value, order and view. */
export function LibraryFilters({ search, onChange }: Props) {
  const text = useMessages();
  const { number } = useFormats();
  const { data: facets } = useFacets(search);
  const [isOpen, { toggle }] = useDisclosure(false);
  const counted = (values: readonly { value: string; count: number }[] | undefined, chosen: string | undefined) => {
    const known = (values ?? []).map(({ value, count }) => ({ value, label: `${value.slice(0, MAX_LABEL)} (${number(count)})` }));
    return chosen && !known.some(({ value }) => value === chosen)
      ? [{ value: chosen, label: chosen.slice(0, MAX_LABEL) }, ...known]
      : known;
  };
  const countOf = (type: string) => facets?.type.find(({ value }) => value === type)?.count;
  const types = MEDIA_TYPES.map((value) => ({
    value,
    label: facets ? `${text.types[value]} (${number(countOf(value) ?? 0)})` : text.types[value],
  }));
  const filter = (changes: Partial<LibrarySearch>) => onChange({ ...changes, selected: undefined });
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={text.filters}>
      <SearchField
        label={text.search}
        value={search.search ?? ''}
        {...lengthOf('GET /v5/mediacontainer', 'search')}
        shortcut="/"
        maw="none"
        onChange={(value) => filter({ search: value || undefined })}
      />
      <Button variant="default" hiddenFrom="sm" onClick={toggle} aria-expanded={isOpen}>
        {text.filters}
      </Button>
      <Group gap="sm" align="flex-end" className="library-filters" data-open={isOpen || undefined}>
        <NativeSelect
          label={text.type}
          value={search.type ?? ''}
          data={[{ value: '', label: text.allTypes }, ...types]}
          onChange={(event) => filter({ type: (event.currentTarget.value || undefined) as LibrarySearch['type'] })}
        />
        <NativeSelect
          label={text.tag}
          value={search.tag ?? ''}
          data={[{ value: '', label: text.anyTag }, ...counted(facets?.tag, search.tag)]}
          onChange={(event) => filter({ tag: event.currentTarget.value || undefined })}
          maw={200}
        />
        <NativeSelect
          label={text.extension}
          value={search.extension ?? ''}
          data={[{ value: '', label: text.anyExtension }, ...counted(facets?.extension, search.extension)]}
          onChange={(event) => filter({ extension: event.currentTarget.value || undefined })}
        />
        <TextInput
          type="date"
          label={text.after}
          value={search.after ?? ''}
          max={search.before}
          onChange={(event) => filter({ after: event.currentTarget.value || undefined })}
        />
        <TextInput
          type="date"
          label={text.before}
          value={search.before ?? ''}
          min={search.after}
          onChange={(event) => filter({ before: event.currentTarget.value || undefined })}
        />
        <NativeSelect
          label={text.problems}
          value={search.problem ?? ''}
          data={[
            { value: '', label: text.anyProblem },
            { value: 'true', label: text.withProblem },
            { value: 'false', label: text.withoutProblem },
          ]}
          onChange={(event) => filter({ problem: (event.currentTarget.value || undefined) as LibrarySearch['problem'] })}
        />
        <NativeSelect
          label={text.sort}
          value={orderName(search)}
          data={Object.entries(text.orders).map(([value, label]) => ({ value, label }))}
          onChange={(event) => onChange(ORDERS[event.currentTarget.value as OrderName])}
        />
      </Group>
      <SegmentedControl
        aria-label={text.place}
        value={search.state ?? 'active'}
        data={[
          { value: 'active', label: text.active },
          { value: 'trash', label: text.trash },
        ]}
        onChange={(value) => filter({ state: value === 'trash' ? 'trash' : undefined })}
      />
      <SegmentedControl
        aria-label={text.view}
        value={search.view ?? 'grid'}
        data={[
          { value: 'grid', label: text.grid },
          { value: 'list', label: text.list },
        ]}
        onChange={(value) => onChange({ view: value === 'list' ? 'list' : undefined })}
      />
    </Group>
  );
}

const ORDERS = {
  newest: { sort: undefined, order: undefined },
  oldest: { sort: undefined, order: 'asc' },
  nameAsc: { sort: 'name', order: 'asc' },
  nameDesc: { sort: 'name', order: undefined },
  large: { sort: 'fileSize', order: undefined },
  small: { sort: 'fileSize', order: 'asc' },
} as const satisfies Record<string, Pick<LibrarySearch, 'sort' | 'order'>>;
type OrderName = keyof typeof ORDERS;

const orderName = ({ sort, order }: LibrarySearch): OrderName =>
  (Object.keys(ORDERS) as OrderName[]).find((name) => ORDERS[name].sort === sort && ORDERS[name].order === order) ?? 'newest';
