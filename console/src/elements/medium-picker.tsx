import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../language';
import type { Container } from '../library/queries';
import { keys } from '../query-keys';
import { api } from '../session';
import { MAX_NAME } from './max-name';
import type { MediaType } from './media-types';
import { TYPING_MS } from './search-field';

const useMessages = messages({
  en: { medium: 'Medium', hint: 'Type a part of its name', nothing: 'No medium matches' },
  de: { medium: 'Medium', hint: 'Tippen Sie einen Teil des Namens', nothing: 'Kein Medium passt' },
});

/** More suggestions are not looked through; typing another letter narrows them. */
const SUGGESTIONS = 20;

interface Props {
  /** The chosen medium, if there is one. */
  readonly chosen: Container | undefined;
  readonly onChoose: (id: number) => void;
  /** Only media of these types; absent: all. */
  readonly types?: readonly MediaType[] | undefined;
}

/** Finds a medium by its name. */
export function MediumPicker({ chosen, onChoose, types }: Props) {
  const text = useMessages();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed === nameOf(chosen) ? '' : typed, TYPING_MS);
  const type = types?.length === 1 ? types[0] : undefined;
  const { data: found, isFetching } = useQuery({
    queryKey: keys.media.suggestions({ search, type }),
    queryFn: async ({ signal }) => {
      const query = { limit: SUGGESTIONS, ...(search && { search }), ...(type && { type }) };
      return (await api.GET('/v5/mediacontainer', { params: { query }, signal })).data;
    },
    placeholderData: keepPreviousData,
  });
  const fitting = (found ?? []).filter((container) => !types || types.some((one) => one === container.type));
  const shown = chosen && !fitting.some(({ id }) => id === chosen.id) ? [chosen, ...fitting] : fitting;
  return (
    <Select
      label={text.medium}
      placeholder={text.hint}
      nothingFoundMessage={isFetching ? '…' : text.nothing}
      data={shown.map((container) => ({ value: String(container.id), label: nameOf(container) }))}
      value={chosen ? String(chosen.id) : null}
      onChange={(id) => id && onChoose(Number(id))}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      maw={420}
    />
  );
}

const nameOf = (container: Container | undefined): string => container?.name.slice(0, MAX_NAME) ?? '';
