import { Affix, Button, Group, Paper, Popover, Stack, Text, TextInput, Transition } from '@mantine/core';
import { useState } from 'react';
import { notifyFailure, notifyWithUndo } from '../elements/notify';
import { useMessages } from './library.messages';
import { type BulkChange, useBulkChange } from './queries';

interface Props {
  readonly selected: ReadonlySet<number>;
  readonly inTrash: boolean;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
}

/** What can be done with the selected media; each change can be undone. */
export function SelectionBar({ selected, inTrash, onSelectAll, onClear }: Props) {
  const text = useMessages();
  const { mutateAsync, isPending } = useBulkChange();
  const ids = [...selected];
  const change = async (changes: Omit<BulkChange, 'ids'>, message: string, undo?: Omit<BulkChange, 'ids'>) => {
    try {
      await mutateAsync({ ids, ...changes });
      notifyWithUndo(message, undo && { label: text.undo, act: async () => await mutateAsync({ ids, ...undo }) });
      if (undo) onClear();
    } catch (error) {
      notifyFailure(text.failed, error);
    }
  };
  return (
    <Affix position={{ bottom: 16, left: 0, right: 0 }} style={{ pointerEvents: 'none' }}>
      <Transition mounted={ids.length > 0} transition="slide-up">
        {(style) => (
          <Paper
            shadow="lg"
            withBorder
            p="sm"
            mx="auto"
            w="fit-content"
            maw="calc(100vw - 16px)"
            style={{ ...style, pointerEvents: 'auto' }}
          >
            <Group gap="sm" role="toolbar" aria-label={text.selected(ids.length)}>
              <Text fw={600} role="status">
                {text.selected(ids.length)}
              </Text>
              <Button variant="subtle" size="compact-md" onClick={onSelectAll}>
                {text.selectAll}
              </Button>
              {!inTrash && (
                <TagButton isPending={isPending} onAdd={async (tag) => await change({ addTags: [tag] }, text.tagged(ids.length, tag))} />
              )}
              {inTrash ? (
                <Button loading={isPending} onClick={() => void change({ flag: 0 }, text.restored(ids.length), { flag: 1 })}>
                  {text.restore}
                </Button>
              ) : (
                <Button
                  color="red"
                  variant="light"
                  loading={isPending}
                  onClick={() => void change({ flag: 1 }, text.trashed(ids.length), { flag: 0 })}
                >
                  {text.toTrash}
                </Button>
              )}
              <Button variant="default" onClick={onClear}>
                {text.clear}
              </Button>
            </Group>
          </Paper>
        )}
      </Transition>
    </Affix>
  );
}

function TagButton({ isPending, onAdd }: { isPending: boolean; onAdd: (tag: string) => Promise<void> }) {
  const text = useMessages();
  const [isOpen, setOpen] = useState(false);
  const [tag, setTag] = useState('');
  const add = async (event: React.FormEvent) => {
    event.preventDefault();
    const wanted = tag.trim();
    if (!wanted) return;
    await onAdd(wanted);
    setTag('');
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="light" onClick={() => setOpen(true)}>
          {text.addTag}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={(event) => void add(event)}>
          <Stack gap="xs">
            <TextInput
              label={text.tagName}
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
              maxLength={255}
              data-autofocus
            />
            <Button type="submit" loading={isPending}>
              {text.add}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
