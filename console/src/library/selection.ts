import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { LibrarySearch } from './library-search';
import { placeState } from './place';

/** A longer list of ids would not fit the headers of a request; it is kept in the history of the window only. */
const MAX_IN_ADDRESS = 300;

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Ids of the selected media, if they are too many for the address. */
    readonly selected?: readonly number[];
  }
}

/** The selected media, which survive a reload and the way back. */
export function useSelection(search: LibrarySearch) {
  const navigate = useNavigate();
  const inHistory = useRouterState({ select: ({ location }) => location.state.selected });
  const ids = search.selected ?? inHistory;
  const selected = useMemo<ReadonlySet<number>>(() => new Set(ids ?? []), [ids]);
  const select = useCallback(
    (chosen: ReadonlySet<number>) => {
      const isShort = chosen.size <= MAX_IN_ADDRESS;
      void navigate({
        to: '/',
        search: (old: object) => ({ ...old, selected: isShort && chosen.size > 0 ? [...chosen] : undefined }) as never,
        state: (old) => ({ ...old, ...placeState(), selected: isShort ? undefined : [...chosen] }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { selected, select };
}
