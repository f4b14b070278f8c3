import { Affix, Button, Group, Loader, Modal, Paper, Stack, TagsInput, Text, Transition } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { lengthOf } from '../elements/input-limits';
import { notifyFailure, notifyWithUndo } from '../elements/notify';
import { useFormats } from '../language';
import { FormatChoice } from './format-choice';
import { useMessages } from './library.messages';
import { NO_LICENSE, toLicense, toLicenseValues } from './license';
import { LicenseFields } from './license-fields';
import { type BulkChange, type Medium, useBulkChange } from './queries';

/** More reasons why media were not changed fill the screen. */
const MAX_REASONS = 3;
interface Props {
  readonly selected: ReadonlySet<number>;
  /** The media that have been loaded. */
  readonly media: readonly Medium[];
  /** Whether media are still being loaded to select them. */
  readonly isSelecting: boolean;
  readonly inTrash: boolean;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
}

type Dialog = 'tags' | 'license' | 'transcode';

/** What can be done with the selected media; each change of them can be undone. */
export function SelectionBar({ selected, media, isSelecting, inTrash, onSelectAll, onClear }: Props) {
  const text = useMessages();
  const { number } = useFormats();
  const { isPending, change } = useChange();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const ids = [...selected];
  const chosen = useMemo(() => media.filter(({ id }) => selected.has(id)), [media, selected]);
  const move = async (flag: 0 | 1) => {
    const message = flag === 1 ? text.trashed(ids.length) : text.restored(ids.length);
    if (await change({ ids, flag }, message, [{ ids, flag: flag === 1 ? 0 : 1 }])) onClear();
  };
  const close = () => setDialog(null);
  return (
    <Affix position={{ bottom: 16, left: 0, right: 0 }} zIndex={120} className="selection-bar">
      <Transition mounted={ids.length > 0 || isSelecting} transition="slide-up">
        {(style) => (
          <Paper shadow="lg" withBorder p="sm" mx="auto" w="fit-content" maw="calc(100vw - 16px)" style={style}>
            <Group gap="xs" role="toolbar" aria-label={text.selected(number(ids.length))}>
              <Text fw={600} role="status">
                {text.selected(number(ids.length))}
              </Text>
              <Button variant="subtle" size="compact-md" onClick={onSelectAll} rightSection={isSelecting && <Loader size="xs" />}>
                {text.selectAll}
              </Button>
              {inTrash ? (
                <Button size="compact-md" loading={isPending} onClick={() => void move(0)}>
                  {text.restore}
                </Button>
              ) : (
                <>
                  <Button size="compact-md" variant="light" onClick={() => setDialog('tags')} aria-haspopup="dialog">
                    {text.changeTags}
                  </Button>
                  <Button size="compact-md" variant="light" onClick={() => setDialog('license')} aria-haspopup="dialog">
                    {text.license}
                  </Button>
                  <Button size="compact-md" variant="light" onClick={() => setDialog('transcode')} aria-haspopup="dialog">
                    {text.transcode}
                  </Button>
                  <Button size="compact-md" color="red" variant="light" loading={isPending} onClick={() => void move(1)}>
                    {text.toTrash}
                  </Button>
                </>
              )}
              <Button size="compact-md" variant="default" onClick={onClear}>
                {text.clear}
              </Button>
            </Group>
          </Paper>
        )}
      </Transition>
      <Modal opened={dialog !== null} onClose={close} title={dialog && titleOf(dialog, text)} key={dialog}>
        {dialog === 'tags' && <TagsForm media={chosen} ids={ids} change={change} onClose={close} />}
        {dialog === 'license' && <LicenseForm media={chosen} ids={ids} change={change} onClose={close} />}
        {dialog === 'transcode' && <TranscodeForm media={chosen} ids={ids} change={change} onClose={close} />}
      </Modal>
    </Affix>
  );
}

const titleOf = (dialog: Dialog, text: ReturnType<typeof useMessages>): string =>
  ({ tags: text.changeTags, license: text.license, transcode: text.transcode })[dialog];

type Change = ReturnType<typeof useChange>['change'];
type ChangeOf = BulkChange & { readonly ids: readonly number[] };

/** Changes media, reports what was done and what was not, and offers to undo it by `undo`. Resolves with whether anything was changed. */
function useChange() {
  const text = useMessages();
  const { mutateAsync, isPending } = useBulkChange();
  const change = async (changes: ChangeOf, message: string, undo: readonly ChangeOf[] = []): Promise<boolean> => {
    try {
      const { changed, failed, restoreLists } = await mutateAsync(changes);
      const reasons = [...new Set(failed.map((one) => one.message))].slice(0, MAX_REASONS).join(' ');
      if (failed.length > 0) notifyFailure(text.notChanged(failed.length), reasons);
      const undoAll = async () => {
        for (const one of undo) await mutateAsync(one);
        restoreLists();
      };
      if (changed > 0) notifyWithUndo(message, undo.length > 0 ? { label: text.undo, act: undoAll } : undefined);
      return changed > 0;
    } catch (error) {
      notifyFailure(text.failed, error);
      return false;
    }
  };
  return { change, isPending };
}

interface FormProps {
  /** The selected media that have been loaded. */
  readonly media: readonly Medium[];
  readonly ids: readonly number[];
  readonly change: Change;
  readonly onClose: () => void;
}

function TagsForm({ media, ids, change, onClose }: FormProps) {
  const text = useMessages();
  const [addTags, setAdd] = useState<string[]>([]);
  const [removeTags, setRemove] = useState<string[]>([]);
  const known = [...new Set(media.flatMap(({ tags }) => tags))];
  const submit = async () => {
    const those = (wanted: (medium: Medium) => boolean) => media.filter(wanted).map(({ id }) => id);
    // Of each tag, only the media that did not have it lose it again, and only those that had it get it back.
    const undo = [
      ...addTags.map((tag) => ({ ids: those(({ tags }) => !tags.includes(tag)), removeTags: [tag] })),
      ...removeTags.map((tag) => ({ ids: those(({ tags }) => tags.includes(tag)), addTags: [tag] })),
    ].filter((one) => one.ids.length > 0);
    const [first] = addTags;
    const isOneTag = first !== undefined && addTags.length === 1 && removeTags.length === 0;
    await change({ ids, addTags, removeTags }, isOneTag ? text.tagged(ids.length, first) : text.retagged(ids.length), undo);
  };
  return (
    <Form onSubmit={submit} onClose={onClose} label={text.apply} isDisabled={addTags.length + removeTags.length === 0}>
      <TagsInput
        label={text.tagsToAdd}
        value={addTags}
        onChange={(tags) => setAdd(tags.filter((tag) => !removeTags.includes(tag)))}
        {...lengthOf('MediaContainerChangesDto', 'tags[]')}
        acceptValueOnBlur
        openOnFocus={false}
        data-autofocus
      />
      {known.length > 0 && (
        <TagsInput
          label={text.tagsToRemove}
          data={known.filter((tag) => !addTags.includes(tag))}
          value={removeTags}
          onChange={(tags) => setRemove(tags.filter((tag) => known.includes(tag)))}
        />
      )}
    </Form>
  );
}

function LicenseForm({ media, ids, change, onClose }: FormProps) {
  const text = useMessages();
  const licenses = [...new Set(media.map(({ license }) => JSON.stringify(license)))];
  const common = licenses.length === 1 ? (media[0]?.license ?? null) : null;
  const [values, setValues] = useState(common ? toLicenseValues(common) : NO_LICENSE);
  const submit = async () => {
    const undo = licenses.map((text_) => ({
      ids: media.filter(({ license }) => JSON.stringify(license) === text_).map(({ id }) => id),
      license: JSON.parse(text_) as Medium['license'],
    }));
    await change({ ids, license: toLicense(values, common) }, text.licensed(ids.length), undo);
  };
  return (
    <Form onSubmit={submit} onClose={onClose} label={text.apply}>
      <Text size="sm">{text.licenseHint}</Text>
      <LicenseFields value={values} onChange={setValues} />
    </Form>
  );
}

function TranscodeForm({ media, ids, change, onClose }: FormProps) {
  const text = useMessages();
  const [formatIds, setFormatIds] = useState<number[]>([]);
  const types = [...new Set(media.map(({ type }) => type))];
  return (
    <Form
      onSubmit={async () => void (await change({ ids, transcode: formatIds }, text.transcoding(ids.length)))}
      onClose={onClose}
      label={text.start}
      isDisabled={formatIds.length === 0}
    >
      <FormatChoice value={formatIds} onChange={setFormatIds} types={types} />
    </Form>
  );
}

interface DialogProps {
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The fields of a dialog, which closes when they were sent. */
function Form({ label, isDisabled = false, onSubmit, onClose, children }: DialogProps) {
  const text = useMessages();
  const [isSending, setSending] = useState(false);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setSending(true);
    await onSubmit();
    onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={isSending} disabled={isDisabled}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
