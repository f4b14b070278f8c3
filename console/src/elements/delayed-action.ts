import { notifications } from '@mantine/notifications';
import { useCallback, useEffect, useRef, useState } from 'react';
import { notifyFailure, UNDO_MS } from './notify';

/**
 * Carries out what cannot be undone only after the time in which people can undo it; at once if they leave the page before. `hidden` are the ids
 * that wait for it, which the page no longer shows; `carryOutAll` ends the wait.
 */
export function useDelayedAction(act: (ids: readonly number[]) => Promise<void>, failed: string) {
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const waiting = useRef(new Map<string, () => Promise<void>>());

  const start = useCallback(
    (ids: readonly number[], show: (undo: () => void) => string) => {
      setHidden((old) => new Set([...old, ...ids]));
      const reveal = () => setHidden((old) => new Set([...old].filter((id) => !ids.includes(id))));
      let key = '';
      const carryOut = async () => {
        if (!waiting.current.delete(key)) return;
        clearTimeout(timer);
        notifications.hide(key);
        await act(ids).catch((error: unknown) => {
          reveal();
          notifyFailure(failed, error);
        });
      };
      const timer = setTimeout(() => void carryOut(), UNDO_MS);
      key = show(() => {
        if (!waiting.current.delete(key)) return;
        clearTimeout(timer);
        notifications.hide(key);
        reveal();
      });
      waiting.current.set(key, carryOut);
    },
    [act, failed],
  );

  const carryOutAll = useCallback(async () => {
    await Promise.all([...waiting.current.values()].map(async (carryOut) => await carryOut()));
  }, []);
  useEffect(() => {
    addEventListener('pagehide', carryOutAll);
    return () => {
      removeEventListener('pagehide', carryOutAll);
      void carryOutAll();
    };
  }, [carryOutAll]);
  return { hidden, start, carryOutAll };
}
