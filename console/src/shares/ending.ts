import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useDelayedAction } from '../elements/delayed-action';
import { notifyWithUndo } from '../elements/notify';
import { keys } from '../query-keys';
import { endShares } from './queries';
import { useMessages } from './shares.messages';
import type { ShareKind } from './shares-search';

/** The lists of other pages that contain shares of a kind. */
const LISTS: Readonly<Record<ShareKind, QueryKey>> = {
  embed: keys.embedLinks.all,
  download: keys.downloadLinks.all,
  dropsite: keys.dropsites.all,
};

/**
 * Ends shares of a kind after the time in which that can be undone. `hidden` are the ids of those that end, which the page no longer shows; `endNow` does
 * not wait any longer.
 */
export function useEnding(kind: ShareKind) {
  const text = useMessages();
  const queries = useQueryClient();
  const act = useCallback(
    async (ids: readonly number[]) => {
      await endShares(kind, ids).finally(() => {
        for (const queryKey of [keys.shares.all, LISTS[kind]]) void queries.invalidateQueries({ queryKey });
      });
    },
    [kind, queries],
  );
  const { hidden, start, carryOutAll } = useDelayedAction(act, text.notEnded);
  const end = (ids: readonly number[]) =>
    start(ids, (undo) => notifyWithUndo(text.ended(ids.length), { label: text.undo, act: async () => undo() }));
  return { hidden, end, endNow: carryOutAll };
}
