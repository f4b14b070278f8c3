import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MAX_NAME } from '../elements/max-name';
import { MediumPicker } from '../elements/medium-picker';
import { notifyFailure } from '../elements/notify';
import { useMedium, useNewEmbedLink } from '../medium/queries';
import { useMessages } from './configurations.messages';
import type { ConfigurationSearch } from './configurations-search';
import { type Configuration, useLink } from './queries';

/** The player of a medium as viewers get it with this configuration. It is loaded again when `version` changes. */
export function Preview({ configuration: { id, type }, version }: { configuration: Configuration; version: string }) {
  const text = useMessages();
  const navigate = useNavigate();
  const { medium }: ConfigurationSearch = useSearch({ strict: false });
  const { data: link, isPending } = useLink(id, medium);
  const shown = medium ?? link?.mediaContainerId;
  const { data: container } = useMedium(shown ?? 0, shown !== undefined);
  const choose = (chosen: number) => void navigate({ to: '.', search: { medium: chosen }, replace: true, resetScroll: false });
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {text.preview}
        </Title>
        <MediumPicker chosen={container} onChoose={choose} types={[type]} />
        {isPending && <Skeleton height={240} aria-label={text.loading} />}
        {link && (
          <iframe
            key={version}
            className="player-frame"
            src={link.url}
            title={text.previewOf(container?.name.slice(0, MAX_NAME) ?? '')}
            allow="fullscreen; autoplay"
          />
        )}
        {link === null && (medium === undefined ? <Text>{text.chooseMedium}</Text> : <NewLink configurationId={id} medium={medium} />)}
      </Stack>
    </Card>
  );
}

function NewLink({ configurationId, medium }: { configurationId: number; medium: number }) {
  const text = useMessages();
  const { mutateAsync, isPending } = useNewEmbedLink(medium);
  return (
    <Group>
      <Text>{text.noLink}</Text>
      <Button
        variant="light"
        loading={isPending}
        onClick={() => void mutateAsync(configurationId).catch((error: unknown) => notifyFailure(text.notCreated, error))}
      >
        {text.createLink}
      </Button>
    </Group>
  );
}
