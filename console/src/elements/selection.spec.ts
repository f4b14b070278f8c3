import { describe, expect, it } from '@jest/globals';
import { readSelected, type Selection, type SelectionAction, selectionReducer } from './selection';

const items = [10, 11, 12, 13, 14].map((id) => ({ id }));
const NOTHING: Selection = { ids: new Set(), anchor: null };
const after = (actions: readonly SelectionAction[], before = NOTHING) => actions.reduce(selectionReducer, before);
const selectedAfter = (actions: readonly SelectionAction[], before = NOTHING) => [...after(actions, before).ids];
const toggle = (index: number): SelectionAction => ({ type: 'toggle', items, index });
const extend = (from: number, to = from): SelectionAction => ({ type: 'extend', items, from, to });

describe('a single item', () => {
  it('is selected, and with the second click no longer', () => {
    expect(selectedAfter([toggle(1), toggle(3)])).toEqual([11, 13]);
    expect(selectedAfter([toggle(1), toggle(3), toggle(1)])).toEqual([13]);
  });

  it('cannot be selected before it is loaded', () => {
    const before = after([toggle(1)]);
    expect(selectionReducer(before, toggle(9))).toBe(before);
  });

  it('leaves the selection before it as it was', () => {
    const before = after([toggle(1)]);
    selectionReducer(before, toggle(2));
    expect(before).toEqual({ ids: new Set([11]), anchor: 1 });
  });
});

describe('a range', () => {
  it('begins at the item that was chosen last, in both directions', () => {
    expect(selectedAfter([toggle(1), extend(3)])).toEqual([11, 12, 13]);
    expect(selectedAfter([toggle(3), extend(1)])).toEqual([13, 11, 12]);
  });

  it('begins at the item that was removed last, too', () => {
    expect(selectedAfter([toggle(1), toggle(3), toggle(3), extend(4)])).toEqual([11, 13, 14]);
  });

  it('begins at its first item if none was chosen, and goes on from there', () => {
    expect(selectedAfter([extend(1, 2)])).toEqual([11, 12]);
    expect(selectedAfter([extend(1, 2), extend(2, 3)])).toEqual([11, 12, 13]);
    expect(selectedAfter([extend(2)])).toEqual([12]);
  });

  it('keeps what was selected before', () => {
    expect(selectedAfter([toggle(0), toggle(2), extend(3)])).toEqual([10, 12, 13]);
  });

  it('ends at the last item that is loaded', () => {
    expect(selectedAfter([toggle(3), extend(90)])).toEqual([13, 14]);
  });
});

describe('all items', () => {
  const all: SelectionAction = { type: 'toggleAll', items };

  it('are selected, and none if all were', () => {
    expect(selectedAfter([all])).toEqual([10, 11, 12, 13, 14]);
    expect(selectedAfter([toggle(1), all])).toEqual([10, 11, 12, 13, 14]);
    expect(selectedAfter([all, all])).toEqual([]);
  });

  it('replace what is selected but not in the list', () => {
    expect(selectedAfter([all], { ids: new Set([99]), anchor: null })).toEqual([10, 11, 12, 13, 14]);
  });
});

describe('when the list changes', () => {
  it('keeps what is selected on pages that are not loaded', () => {
    expect(selectedAfter([toggle(1), extend(2)], { ids: new Set([99]), anchor: null })).toEqual([99, 11, 12]);
  });

  it('removes only the items that have gone', () => {
    const before = after([toggle(1), toggle(2)], { ids: new Set([99]), anchor: null });
    expect(selectionReducer(before, { type: 'remove', ids: [11, 13] })).toEqual({ ids: new Set([99, 12]), anchor: 2 });
  });
});

describe('the selection of an address', () => {
  it('is its ids, without what is none', () => {
    expect(readSelected({ selected: [3, 'x', 1.5, null, 7] })).toEqual([3, 7]);
  });

  it.each([[undefined], [[]], ['3'], [['x']]])('is absent in %j', (selected) => {
    expect(readSelected({ selected })).toBeUndefined();
  });
});
