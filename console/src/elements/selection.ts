/** What is selected in a list of which more may be loaded later. */
export interface Selection {
  /** They may name items that are not loaded, or no longer there: only a person or an action removes them. */
  readonly ids: ReadonlySet<number>;
  /** The index of the item from which Shift selects a range; null: none has been chosen yet. */
  readonly anchor: number | null;
}

/** The items of the list that are loaded, from the first one on. */
type Items = readonly { readonly id: number }[];

export type SelectionAction =
  | { readonly type: 'toggle'; readonly items: Items; readonly index: number }
  /** Selects up to `to` as well: from the anchor, or from `from` if there is none. */
  | { readonly type: 'extend'; readonly items: Items; readonly from: number; readonly to: number }
  /** Selects exactly these, or nothing if all of them are selected. */
  | { readonly type: 'toggleAll'; readonly items: Items }
  | { readonly type: 'remove'; readonly ids: readonly number[] };

/** The selection after an action. */
export function selectionReducer(selection: Selection, action: SelectionAction): Selection {
  const { ids, anchor } = selection;
  switch (action.type) {
    case 'toggle': {
      const item = action.items[action.index];
      if (!item) return selection; // it is still being loaded
      const toggled = new Set(ids);
      if (!toggled.delete(item.id)) toggled.add(item.id);
      return { ids: toggled, anchor: action.index };
    }
    case 'extend': {
      const start = anchor ?? action.from;
      const range = action.items.slice(Math.min(start, action.to), Math.max(start, action.to) + 1);
      return { ids: new Set([...ids, ...range.map(({ id }) => id)]), anchor: start };
    }
    case 'toggleAll': {
      const isAll = action.items.every(({ id }) => ids.has(id));
      return { ids: new Set(isAll ? [] : action.items.map(({ id }) => id)), anchor };
    }
    case 'remove':
      return { ids: new Set([...ids].filter((id) => !action.ids.includes(id))), anchor };
  }
}

/** Reads the selected ids from the query of an address; undefined: nothing is selected. */
export function readSelected({ selected }: Record<string, unknown>): readonly number[] | undefined {
  const ids = Array.isArray(selected) ? selected.filter((id): id is number => Number.isInteger(id)) : [];
  return ids.length > 0 ? ids : undefined;
}
