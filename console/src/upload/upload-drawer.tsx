import { ActionIcon, Button, CloseButton, FileButton, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { ProblemError } from '@media-delivery/sdk';
import { useEffect, useRef, useState } from 'react';
import { CloseIcon, PauseIcon, PlayIcon } from '../elements/icons';
import { MAX_NAME } from '../elements/max-name';
import { notifyFailure } from '../elements/notify';
import { explain } from '../elements/page-states';
import { useFormats } from '../language';
import { Arrived } from './arrived';
import { DropTarget } from './drop-target';
import { StagedFiles } from './staged-files';
import { useMessages } from './upload.messages';
import type { Upload } from './upload-list';
import { useUploads } from './uploads';

/** More names of an upload are counted only. */
const MAX_NAMES = 5;
/** Chooses files and shows their uploads, beside the page, which can be used meanwhile. Files and folders can be dropped anywhere in the window. */
export function UploadDrawer() {
  const text = useMessages();
  const { uploads, staged, isOpen, close, stage } = useUploads();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    heading.current?.focus();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, [isOpen]);
  const keyDown = (event: React.KeyboardEvent) => {
    // A field whose menu is open closes that first; Mantine marks it so.
    const isOfMenu = event.target instanceof Element && event.target.getAttribute('data-mantine-stop-propagation') === 'true';
    if (event.key === 'Escape' && !event.defaultPrevented && !isOfMenu) close();
  };
  return (
    <>
      {isOpen && (
        <Paper
          component="section"
          role="dialog"
          aria-labelledby="upload-title"
          shadow="xl"
          withBorder
          radius={0}
          p="md"
          className="upload-drawer"
          onKeyDown={keyDown}
        >
          <Stack>
            <Group justify="space-between" wrap="nowrap">
              <Title order={2} size="h4" id="upload-title" ref={heading} tabIndex={-1}>
                {text.title}
              </Title>
              <CloseButton onClick={close} aria-label={text.close} />
            </Group>
            <Text size="sm">{text.hint}</Text>
            <Group>
              <FileButton multiple onChange={stage}>
                {(props) => <Button {...props}>{text.choose}</Button>}
              </FileButton>
              <FolderButton onChoose={stage} />
            </Group>
            {staged.length > 0 && <StagedFiles />}
            {uploads.map((upload) => (
              <UploadCard key={upload.id} upload={upload} />
            ))}
          </Stack>
        </Paper>
      )}
      <DropTarget onDrop={stage} />
    </>
  );
}

/** Chooses a folder with all files in it. */
function FolderButton({ onChoose }: { onChoose: (files: readonly File[]) => void }) {
  const text = useMessages();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          onChoose(Array.from(event.currentTarget.files ?? []).filter(({ name }) => !name.startsWith('.')));
          event.currentTarget.value = '';
        }}
      />
      <Button variant="default" onClick={() => input.current?.click()}>
        {text.chooseFolder}
      </Button>
    </>
  );
}

function UploadCard({ upload }: { upload: Upload }) {
  const text = useMessages();
  const { size, number } = useFormats();
  const { files, loaded, total, state, error, problems } = upload;
  const percent = state === 'completed' ? 100 : Math.floor((loaded / Math.max(1, total)) * 100);
  const name = files[0]?.name.slice(0, MAX_NAME) ?? '';
  const title = files.length === 1 ? name : text.files(number(files.length), files.length);
  return (
    <Paper withBorder p="sm" role="group" aria-label={title}>
      <Stack gap={6}>
        <Group wrap="nowrap" justify="space-between" align="flex-start">
          <Text size="sm" fw={600} className="foreign" lineClamp={3}>
            {title}
          </Text>
          <Actions upload={upload} title={title} />
        </Group>
        <Progress value={percent} color={state === 'failed' ? 'red' : undefined} aria-label={text.progressOf(title)} />
        <Text size="xs" aria-live="polite">
          {text.state(state, size(loaded), size(total))}
        </Text>
        {state === 'failed' && <WhyFailed upload={upload} error={error} />}
        {state === 'interrupted' && <ChooseAgain upload={upload} />}
        {problems.length > 0 && (
          <Text size="xs" c="red" role="alert" className="foreign">
            {text.notDone} {problems.slice(0, MAX_NAMES).join(' ')}
          </Text>
        )}
        <Arrived upload={upload} />
      </Stack>
    </Paper>
  );
}

/** Removes an upload from the list; says so if the service could not remove what had arrived of it. */
function useDismiss(): (id: string) => void {
  const text = useMessages();
  const { dismiss } = useUploads();
  return (id) => void dismiss(id).catch((error: unknown) => notifyFailure(text.notCancelled, error));
}

function Actions({ upload: { id, state, sources }, title }: { upload: Upload; title: string }) {
  const text = useMessages();
  const { pause, resume } = useUploads();
  const dismiss = useDismiss();
  const isRunning = state === 'running';
  return (
    <Group gap={4} wrap="nowrap">
      {isRunning && (
        <ActionIcon variant="default" onClick={() => pause(id)} aria-label={text.pause(title)}>
          <PauseIcon size={16} />
        </ActionIcon>
      )}
      {sources && (state === 'paused' || state === 'failed') && (
        <ActionIcon variant="default" onClick={() => resume(id)} aria-label={text.resume(title)}>
          <PlayIcon size={16} />
        </ActionIcon>
      )}
      <ActionIcon
        variant="default"
        onClick={() => dismiss(id)}
        aria-label={state === 'completed' ? text.dismiss(title) : text.cancel(title)}
      >
        <CloseIcon size={16} />
      </ActionIcon>
    </Group>
  );
}

/** Which files failed, and how the others are uploaded. */
function WhyFailed({ upload: { id, files, sources, plan }, error }: { upload: Upload; error: unknown }) {
  const text = useMessages();
  const { add, resume } = useUploads();
  const dismiss = useDismiss();
  const problem = error instanceof ProblemError ? error : null;
  const indices = problem?.errors.map(({ path }) => Number(path.split('.')[1])) ?? [];
  const others = problem?.code === 'files_refused' ? (sources ?? []).filter((_, n) => !indices.includes(n)) : [];
  return (
    <Stack gap={6} align="flex-start">
      <Text size="xs" c="red" role="alert" className="foreign">
        {explain(error)}
      </Text>
      {problem?.errors.slice(0, MAX_NAMES).map(({ path, message }, n) => (
        <Text key={path} size="xs" className="foreign">
          {files[indices[n] ?? -1]?.name.slice(0, MAX_NAME) ?? path}: {message}
        </Text>
      ))}
      {others.length > 0 ? (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            dismiss(id);
            add(others, plan);
          }}
        >
          {text.uploadOthers}
        </Button>
      ) : (
        <Button size="compact-sm" variant="default" onClick={() => resume(id)}>
          {text.retry}
        </Button>
      )}
    </Stack>
  );
}

/** After a reload the browser no longer has the files: the person chooses them again, and only what is missing is sent. */
function ChooseAgain({ upload: { id, files } }: { upload: Upload }) {
  const text = useMessages();
  const { resumeWith } = useUploads();
  const [isWrong, setWrong] = useState(false);
  return (
    <Stack gap={6} align="flex-start">
      <Text size="xs">{text.interrupted(files.length)}</Text>
      {files.slice(0, MAX_NAMES).map(({ name }, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
        <Text key={n} size="xs" className="foreign" lineClamp={2}>
          {name.slice(0, MAX_NAME)}
        </Text>
      ))}
      <FileButton multiple onChange={(chosen) => setWrong(!resumeWith(id, chosen))}>
        {(props) => (
          <Button size="compact-sm" variant="default" {...props}>
            {text.chooseAgain}
          </Button>
        )}
      </FileButton>
      {isWrong && (
        <Text size="xs" c="red" role="alert">
          {text.otherFiles}
        </Text>
      )}
    </Stack>
  );
}
