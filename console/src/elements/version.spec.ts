import { describe, expect, it } from '@jest/globals';
import { ProblemError } from '@media-delivery/sdk';
import { saveVersion, takeOver, type Version } from './version';

interface Values extends Record<string, unknown> {
  readonly name: string;
  readonly notes: string;
  readonly tags: readonly string[];
}

const before: Values = { name: 'harbour', notes: '', tags: ['sea'] };

describe('the changes of another person', () => {
  it('are taken over where this person typed nothing', () => {
    const newer = { ...before, name: 'port', tags: ['sea', 'ships'] };
    expect(takeOver(before, newer, { ...before, notes: 'mine' })).toEqual({
      values: { name: 'port', notes: 'mine', tags: ['sea', 'ships'] },
      conflict: { taken: ['name', 'tags'], kept: [] },
    });
  });

  it('are shown where this person typed something else, whose input is kept', () => {
    const newer = { ...before, name: 'port', notes: 'theirs' };
    expect(takeOver(before, newer, { ...before, notes: 'mine' })).toEqual({
      values: { name: 'port', notes: 'mine', tags: ['sea'] },
      conflict: { taken: ['name'], kept: [{ field: 'notes', theirs: 'theirs' }] },
    });
  });

  it('are no conflict where both made the same change', () => {
    const both = { ...before, tags: ['ships'] };
    expect(takeOver(before, both, both)).toEqual({ values: both, conflict: { taken: [], kept: [] } });
  });

  it('leave what was typed while the values were being saved', () => {
    const sent = { ...before, name: 'Harbour ', notes: 'mine' };
    const saved = { ...sent, name: 'Harbour' };
    expect(takeOver(sent, saved, { ...sent, notes: 'mine too' }).values).toEqual({ ...saved, notes: 'mine too' });
  });
});

/** A service whose resource others change to each of `versions`, the next one whenever it is read. */
function service(...versions: readonly Version<Values>[]) {
  const sent: string[] = [];
  let reads = 0;
  return {
    sent,
    save: async (etag: string) => {
      sent.push(etag);
      if (reads < versions.length) throw new ProblemError({ status: 412, code: 'precondition_failed', detail: 'It has changed.' });
      return { value: before, etag: 'saved' };
    },
    reload: async () => versions[reads++] as Version<Values>,
  };
}

const read = { value: before, etag: 'first' };
const values = { ...before, notes: 'mine' };
const SAVED = { isSaved: true, version: { value: before, etag: 'saved' }, before: values };

describe('saving', () => {
  it('ends with the saved version if it was the current one', async () => {
    const { save, reload, sent } = service();
    expect(await saveVersion({ values, read, save, reload })).toEqual(SAVED);
    expect(sent).toEqual(['first']);
  });

  it('is repeated if others changed only what the form does not show', async () => {
    const { save, reload, sent } = service({ value: before, etag: 'second' }, { value: before, etag: 'third' });
    expect(await saveVersion({ values, read, save, reload })).toEqual(SAVED);
    expect(sent).toEqual(['first', 'second', 'third']);
  });

  it('is repeated if others made the same change', async () => {
    const { save, reload } = service({ value: values, etag: 'second' });
    expect(await saveVersion({ values, read, save, reload })).toEqual(SAVED);
  });

  it.each([
    ['the same field', { ...before, notes: 'theirs' }],
    ['another field', { ...before, name: 'port' }],
  ])('ends without a change if others changed %s', async (_, theirs) => {
    const newer = { value: theirs, etag: 'second' };
    const { save, reload, sent } = service(newer);
    expect(await saveVersion({ values, read, save, reload })).toEqual({ isSaved: false, version: newer, before });
    expect(sent).toEqual(['first']);
  });

  it('compares with the version that was read last', async () => {
    const second = { value: values, etag: 'second' };
    const third = { value: before, etag: 'third' };
    const { save, reload } = service(second, third);
    expect(await saveVersion({ values, read, save, reload })).toEqual({ isSaved: false, version: third, before: values });
  });

  it('is given up when others keep changing it', async () => {
    const versions = ['second', 'third', 'fourth', 'fifth'].map((etag) => ({ value: before, etag }));
    const { save, reload, sent } = service(...versions);
    await expect(saveVersion({ values, read, save, reload })).rejects.toHaveProperty('status', 412);
    expect(sent).toHaveLength(3);
  });

  it('fails with any other error, such as 409, and where nothing can be reloaded', async () => {
    const taken = new ProblemError({ status: 409, code: 'name_taken', detail: 'The name is taken.' });
    const refuse = async () => await Promise.reject(taken);
    await expect(saveVersion({ values, read, save: refuse, reload: service().reload })).rejects.toBe(taken);
    const { save } = service({ value: before, etag: 'second' });
    await expect(saveVersion({ values, read, save })).rejects.toHaveProperty('status', 412);
  });
});
