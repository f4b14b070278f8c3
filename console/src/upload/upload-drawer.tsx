import { ActionIcon, Anchor, Button, Drawer, FileButton, Group, Paper, Progress, Stack, TagsInput, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { CloseIcon, PauseIcon, PlayIcon } from '../elements/icons';
import { explain } from '../elements/page-states';
import { useFormats } from '../language';
import { droppedFiles } from './dropped-files';
import { useMessages } from './upload.messages';
import { type Upload, useUploads } from './uploads';

/** Chooses files and shows their uploads. Files and folders can be dropped anywhere in the window. */
export function UploadDrawer() {
  const text = useMessages();
  const { uploads, isOpen, close, add } = useUploads();
  const [tags, setTags] = useState<string[]>([]);
  return (
    <>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="right"
        title={text.title}
        closeButtonProps={{ 'aria-label': text.close }}
        overlayProps={{ backgroundOpacity: 0.2 }}
      >
        <Stack>
          <Text size="sm">{text.hint}</Text>
          <TagsInput label={text.tags} description={text.tagsHint} value={tags} onChange={setTags} clearable />
          <FileButton multiple onChange={(files) => add(files, tags)}>
            {(props) => <Button {...props}>{text.choose}</Button>}
          </FileButton>
          {uploads.map((upload) => (
            <UploadCard key={upload.id} upload={upload} />
          ))}
        </Stack>
      </Drawer>
      <DropTarget onDrop={(files) => add(files, tags)} />
    </>
  );
}

function UploadCard({ upload }: { upload: Upload }) {
  const text = useMessages();
  const { size } = useFormats();
  const { pause, resume, dismiss, close } = useUploads();
  const { id, files, loaded, total, state, error, containerIds } = upload;
  const percent = state === 'completed' ? 100 : Math.floor((loaded / Math.max(1, total)) * 100);
  const title = files.length === 1 ? (files[0]?.name ?? '') : text.files(files.length);
  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Group wrap="nowrap" justify="space-between" align="flex-start">
          <Text size="sm" fw={600} className="foreign">
            {title}
          </Text>
          <Group gap={4} wrap="nowrap">
            {state === 'running' && (
              <ActionIcon variant="default" onClick={() => pause(id)} aria-label={text.pause(title)}>
                <PauseIcon size={16} />
              </ActionIcon>
            )}
            {(state === 'paused' || state === 'failed') && (
              <ActionIcon variant="default" onClick={() => resume(id)} aria-label={text.resume(title)}>
                <PlayIcon size={16} />
              </ActionIcon>
            )}
            {state !== 'running' && (
              <ActionIcon variant="default" onClick={() => dismiss(id)} aria-label={text.dismiss(title)}>
                <CloseIcon size={16} />
              </ActionIcon>
            )}
          </Group>
        </Group>
        <Progress value={percent} color={state === 'failed' ? 'red' : undefined} aria-label={text.progressOf(title)} />
        <Text size="xs" aria-live="polite">
          {text.state(state, size(loaded), size(total))}
        </Text>
        {state === 'failed' && (
          <Text size="xs" c="red" role="alert" className="foreign">
            {explain(error)}
          </Text>
        )}
        {containerIds.slice(0, 5).map((containerId, n) => (
          <Anchor
            key={containerId}
            component={Link}
            to="/media/$id"
            params={{ id: String(containerId) } as never}
            size="sm"
            onClick={close}
          >
            {text.show(files[n]?.name ?? String(containerId))}
          </Anchor>
        ))}
      </Stack>
    </Paper>
  );
}

/** Takes files and folders that are dropped anywhere in the window. */
function DropTarget({ onDrop }: { onDrop: (files: readonly File[]) => void }) {
  const text = useMessages();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const over = (event: DragEvent) => {
      if (hasFiles(event) && !event.defaultPrevented) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      void droppedFiles(event.dataTransfer as DataTransfer).then(onDrop);
    };
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name as 'drop', listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name as 'drop', listener);
    };
  }, [onDrop]);
  return isOver ? (
    <div className="drop-target">
      <Text size="xl" fw={600}>
        {text.drop}
      </Text>
    </div>
  ) : null;
}
