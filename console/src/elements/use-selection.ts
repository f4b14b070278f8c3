import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

/** A longer list of ids would not fit the headers of a request; it is kept in the history of the window only. */
const MAX_IN_ADDRESS = 300;

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The selected ids, if they are too many for the address. */
    readonly selected?: readonly number[];
  }
}

const NO_STATE = () => ({});

/**
 * The selection of a list, which survives a reload and the way back. `inAddress`: `selected` of the address of the page; `keptState`: the state of the
 * entry of the history that a changed selection has to keep.
 */
export function useSelection(inAddress: readonly number[] | undefined, keptState: () => object = NO_STATE) {
  const navigate = useNavigate();
  const inHistory = useRouterState({ select: ({ location }) => location.state.selected });
  const ids = inAddress ?? inHistory;
  const selected = useMemo<ReadonlySet<number>>(() => new Set(ids ?? []), [ids]);
  const select = useCallback(
    (chosen: ReadonlySet<number>) => {
      const isShort = chosen.size <= MAX_IN_ADDRESS;
      void navigate({
        to: '.',
        search: (old: object) => ({ ...old, selected: isShort && chosen.size > 0 ? [...chosen] : undefined }),
        state: (old) => ({ ...old, ...keptState(), selected: isShort ? undefined : [...chosen] }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, keptState],
  );
  return { selected, select };
}
