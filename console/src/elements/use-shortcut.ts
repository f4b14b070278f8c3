import { useEffect } from 'react';

/** Calls `act` when a key is pressed alone; never while the person types, chooses a value or is in a dialog. */
export function useShortcut(key: string | undefined, act: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest('input, textarea, select, [contenteditable], [role=dialog], [role=listbox], [role=menu]')) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [key, act]);
}
