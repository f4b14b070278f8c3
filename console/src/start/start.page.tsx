import { Alert, Anchor, Button, Card, Code, Group, List, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { CopyButton } from '../elements/copy-button';
import { CheckIcon } from '../elements/icons';
import { TextLink } from '../elements/links';
import { MAX_NAME } from '../elements/max-name';
import { Failure } from '../elements/page-states';
import { useFormatList, useJobResult } from '../formats/queries';
import { type Container, refreshMedia } from '../library/queries';
import { useEmbedLinks, useJobs } from '../medium/queries';
import { useUploads } from '../upload/uploads';
import { previewFormatOf, useEmbedding, useMissingPrograms, useNewestMedium, usePreviewing, useSample, useSamples } from './queries';
import { useMessages } from './start.messages';

/** The first steps of people without media: upload, preview, embed. */
export function StartPage() {
  const text = useMessages();
  const newest = useNewestMedium();
  const container = newest.data ?? null;
  const { data: links } = useEmbedLinks(container?.id ?? 0, container !== null);
  const link = container ? links?.[0] : undefined;
  return (
    <Stack maw={860} mx="auto">
      <div>
        <Title order={1} size="h2">
          {text.title}
        </Title>
        <Text>{text.intro}</Text>
      </div>
      {newest.isError && <Failure error={newest.error} onRetry={() => void newest.refetch()} />}
      <Step number={1} title={text.upload} isDone={container !== null}>
        <UploadStep />
      </Step>
      <Step number={2} title={text.preview} isDone={container?.preview != null}>
        {container ? <PreviewStep container={container} /> : <Text>{text.previewLater}</Text>}
      </Step>
      <Step number={3} title={text.embed} isDone={link !== undefined}>
        {!container && <Text>{text.embedLater}</Text>}
        {container && !link && <EmbedStep container={container} />}
        {container && link && (
          <>
            <iframe
              className="player-frame"
              src={link.url}
              title={text.playerOf(container.name.slice(0, MAX_NAME))}
              allow="fullscreen; autoplay"
            />
            <Text>{text.embedDone}</Text>
            <Code block className="foreign wrapped">
              {link.snippet}
            </Code>
            <Group>
              <CopyButton label={text.copySnippet} value={link.snippet} />
              <CopyButton label={text.copyLink} value={link.url} />
              <Anchor href={link.url} target="_blank" rel="noreferrer">
                {text.openPlayer}
              </Anchor>
            </Group>
          </>
        )}
      </Step>
      <Missing />
      {container && (
        <TextLink to="/" w="fit-content">
          {text.toLibrary}
        </TextLink>
      )}
    </Stack>
  );
}

function Step({ number, title, isDone, children }: { number: number; title: string; isDone: boolean; children: ReactNode }) {
  const text = useMessages();
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <Group gap="sm">
          <ThemeIcon radius="xl" color={isDone ? 'green.9' : 'indigo'} aria-hidden="true">
            {isDone ? <CheckIcon size={18} /> : number}
          </ThemeIcon>
          <Title order={2} size="h4">
            {title}
          </Title>
          {isDone && <Text size="sm">{text.done}</Text>}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}

function UploadStep() {
  const text = useMessages();
  const { open } = useUploads();
  const { data: samples } = useSamples();
  const { mutate, isPending, error } = useSample(text.configurationName);
  const film = samples?.find((url) => url.endsWith('.mp4')) ?? samples?.[0];
  return (
    <>
      <Text>{text.uploadHint}</Text>
      <Group>
        <Button onClick={open} aria-haspopup="dialog">
          {text.choose}
        </Button>
        {film && (
          <Button variant="default" loading={isPending} onClick={() => mutate(film)}>
            {text.useSample}
          </Button>
        )}
      </Group>
      {film && <Text size="sm">{text.sampleHint}</Text>}
      {error && <Failure error={error} />}
    </>
  );
}

function PreviewStep({ container }: { container: Container }) {
  const text = useMessages();
  const name = container.name.slice(0, MAX_NAME);
  return (
    <>
      {container.preview ? (
        <img
          className="start-preview"
          src={container.preview.url}
          width={container.preview.width}
          height={container.preview.height}
          alt={text.previewOf(name)}
        />
      ) : (
        <MakePreview container={container} />
      )}
      <TextLink to="/media/$id" params={{ id: String(container.id) }} className="foreign" lineClamp={3}>
        {text.show(name)}
      </TextLink>
    </>
  );
}

/** Makes the picture of a medium that does not have one yet. */
function MakePreview({ container }: { container: Container }) {
  const text = useMessages();
  const queries = useQueryClient();
  const { data: formats } = useFormatList();
  const { data: jobs } = useJobs(container.id);
  const { mutate, data: jobId, isPending, error } = usePreviewing();
  const { data: result } = useJobResult(jobId);
  const isDone = result !== undefined && 'status' in result;
  useEffect(() => {
    if (isDone) void refreshMedia(queries);
  }, [isDone, queries]);
  const format = previewFormatOf(container.type, formats ?? []);
  const isMaking = isPending || (jobId !== undefined && !isDone) || jobs?.some(({ status }) => status === 'running');
  if (isMaking) return <Text>{text.previewing}</Text>;
  if (!format) return formats ? <Text>{text.noPreview}</Text> : null;
  return (
    <>
      <Text>{text.previewHint}</Text>
      <Button variant="default" w="fit-content" onClick={() => mutate({ id: container.id, formatId: format.id })}>
        {text.makePreview}
      </Button>
      {error && <Failure error={error} />}
    </>
  );
}

function EmbedStep({ container }: { container: Container }) {
  const text = useMessages();
  const { mutate, isPending, error } = useEmbedding(text.configurationName);
  const isThere = container.media.some(({ status }) => status === 'successful');
  return (
    <>
      <Text>{text.embedHint}</Text>
      <Button w="fit-content" loading={isPending} disabled={!isThere} onClick={() => mutate(container)}>
        {text.createLink}
      </Button>
      {error && <Failure error={error} />}
    </>
  );
}

/** The programs that this installation lacks, with what the operator can do. */
function Missing() {
  const text = useMessages();
  const missing = useMissingPrograms();
  if (missing.length === 0) return null;
  return (
    <Alert title={text.missing} color="yellow" variant="outline">
      <Stack gap="xs">
        <Text size="sm">{text.missingHint}</Text>
        <List size="sm">
          {missing.map(({ reason, count }) => (
            <List.Item key={reason} className="foreign">
              {text.missingFormats(count)} {reason}
            </List.Item>
          ))}
        </List>
      </Stack>
    </Alert>
  );
}
