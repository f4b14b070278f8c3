import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useCanGoBack, useParams, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { TextLink } from '../elements/links';
import { Loaded } from '../elements/list-page';
import { type MediaProblem, useProblemText } from '../elements/media-problems';
import { notifyFailure, notifyWithUndo } from '../elements/notify';
import type { Version } from '../elements/version';
import { type Container, useBulkChange } from '../library/queries';
import { Details } from './details';
import { DownloadLinks } from './download-links';
import { EmbedLinks } from './embed-links';
import { Files } from './files';
import { History } from './history';
import { useMessages } from './medium.messages';
import { Periods } from './periods';
import { useMediumVersion } from './queries';
import { Tracks } from './tracks';
import { Watched } from './watched';
import { WhoGetsIn } from './who-gets-in';

/** One medium: as viewers get it, what it consists of, how it is described, and what happened with it. */
export function MediumPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return <Loaded found={useMediumVersion(Number(id))}>{(found) => <Medium found={found} />}</Loaded>;
}

function Medium({ found }: { found: Version<Container> }) {
  const text = useMessages();
  const [track, setTrack] = useState<File | null>(null);
  const container = found.value;
  return (
    <Stack>
      <Back />
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" className="foreign" dir="auto" lineClamp={4} flex="1 1 240px" miw={0}>
          {container.name}
        </Title>
        <Trash container={container} />
      </Group>
      {container.flag === 1 && <Alert role="status">{text.inTrash}</Alert>}
      {container.problem && <Problem problem={container.problem} />}
      {container.duplicateOf !== null && (
        <Text size="sm">
          {text.duplicate}{' '}
          <TextLink to="/media/$id" params={{ id: String(container.duplicateOf) }} size="sm">
            {text.showDuplicate}
          </TextLink>
        </Text>
      )}
      <EmbedLinks container={container} onTrack={setTrack} />
      <Tracks container={container} file={track} onFile={setTrack} />
      <Files container={container} />
      <DownloadLinks container={container} />
      <WhoGetsIn container={container} />
      <Watched id={container.id} />
      <Periods container={container} />
      <Details key={container.id} found={found} />
      <History id={container.id} />
    </Stack>
  );
}

/** What is wrong with the file; the words of the service name what it found. */
function Problem({ problem }: { problem: MediaProblem }) {
  const { name, advice } = useProblemText(problem);
  return (
    <Alert color="red" role="alert" title={name}>
      {advice}
      {DETAILED.has(problem.code) && (
        <Text size="xs" lang="en" className="foreign">
          {problem.message}
        </Text>
      )}
    </Alert>
  );
}

/** Problems of which the service says more than their kind. */
const DETAILED: ReadonlySet<string> = new Set(['source_unreadable', 'wrong_type']);

/** Leads to the library as it was left: its filters, its place and its selection. */
function Back() {
  const text = useMessages();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  return (
    <Anchor
      href="/console"
      w="fit-content"
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
        event.preventDefault();
        if (canGoBack) router.history.back();
        else void router.navigate({ to: '/' });
      }}
    >
      {canGoBack ? text.back : text.toLibrary}
    </Anchor>
  );
}

/** Moves the medium to the trash, or out of it; both can be undone. */
function Trash({ container }: { container: Container }) {
  const text = useMessages();
  const { mutateAsync, isPending } = useBulkChange();
  const isInTrash = container.flag === 1;
  const move = async (flag: 0 | 1) => {
    const { failed } = await mutateAsync({ ids: [container.id], flag });
    if (failed[0]) throw new Error(failed[0].message);
  };
  const act = async () => {
    try {
      await move(isInTrash ? 0 : 1);
      notifyWithUndo(isInTrash ? text.restored : text.trashed, {
        label: text.undo,
        act: async () => await move(isInTrash ? 1 : 0),
      });
    } catch (error) {
      notifyFailure(text.notSaved, error);
    }
  };
  return (
    <Button variant="light" color={isInTrash ? undefined : 'red'} loading={isPending} onClick={() => void act()}>
      {isInTrash ? text.restore : text.toTrash}
    </Button>
  );
}
