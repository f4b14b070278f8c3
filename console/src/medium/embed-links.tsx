import { Button, Card, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../elements/copy-button';
import { focusHeading } from '../elements/focus';
import { MAX_NAME } from '../elements/max-name';
import { notifyFailure } from '../elements/notify';
import { QrCode } from '../elements/qr-code';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { useConfigurationList } from '../player-configurations/queries';
import { useEnding } from '../shares/ending';
import { useMessages } from './medium.messages';
import { useEmbedLinks, useNewEmbedLink } from './queries';
import { TrackDrop } from './track-drop';

interface Props {
  readonly container: Container;
  /** Takes a file that was dropped on the player and may be a track. */
  readonly onTrack: (file: File) => void;
}

/** The player as viewers get it by one of the embed links, and the links themselves. */
export function EmbedLinks({ container, onTrack }: Props) {
  const text = useMessages();
  const { data: found } = useEmbedLinks(container.id);
  const { hidden, end, endNow } = useEnding('embed');
  const links = found?.filter(({ id }) => !hidden.has(id));
  const { data: configurations } = useConfigurationList();
  const [chosen, setChosen] = useState<number | null>(null);
  const link = links?.find(({ id }) => id === chosen) ?? links?.[0];
  const names = new Map(configurations?.map((one) => [one.id, one.name.slice(0, MAX_NAME)]));
  return (
    <Card withBorder component="section" aria-label={text.player}>
      <Stack>
        <Title order={2} size="h4">
          {text.player}
        </Title>
        {links && links.length > 1 && (
          <NativeSelect
            label={text.embedLink}
            value={String(link?.id)}
            data={links.map(({ id, playerConfigurationId, description }) => ({
              value: String(id),
              label: [names.get(playerConfigurationId ?? 0) ?? String(id), description.slice(0, MAX_NAME)].filter(Boolean).join(' – '),
            }))}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
            maw={420}
          />
        )}
        <TrackDrop onTrack={onTrack}>
          {link && (
            <iframe
              key={link.id}
              className="player-frame"
              src={link.url}
              title={text.playerOf(container.name.slice(0, MAX_NAME))}
              allow="fullscreen; autoplay"
            />
          )}
          {!link && links && <Text>{text.noLink}</Text>}
        </TrackDrop>
        {link && <LinkDetails key={link.id} container={container} link={link} onEnd={() => end([link.id])} />}
        <NewLink container={container} onCreate={endNow} />
      </Stack>
    </Card>
  );
}

type Link = NonNullable<ReturnType<typeof useEmbedLinks>['data']>[number];

function LinkDetails({ container, link, onEnd }: { container: Container; link: Link; onEnd: () => void }) {
  const text = useMessages();
  const { number, dateTime } = useFormats();
  return (
    <>
      <Group>
        <CopyButton label={text.copySnippet} value={link.snippet} />
        <CopyButton label={text.copyLink} value={link.url} />
        <Text size="sm">{link.lastUsedAt ? text.used(number(link.uses), link.uses, dateTime(link.lastUsedAt)) : text.notUsed}</Text>
      </Group>
      <Group align="flex-start">
        <QrCode text={link.url} label={text.qrCode(container.name.slice(0, MAX_NAME))} />
        <Code block className="foreign wrapped" flex="1 1 240px" miw={0}>
          {link.snippet}
        </Code>
      </Group>
      <Button
        w="fit-content"
        color="red"
        variant="light"
        onClick={({ currentTarget }) => {
          focusHeading(currentTarget.closest('section')?.querySelector<HTMLElement>('h2'));
          onEnd();
        }}
      >
        {text.endEmbedLink}
      </Button>
    </>
  );
}

interface NewLinkProps {
  readonly container: Container;
  /** Called before a link is created. */
  readonly onCreate: () => Promise<void>;
}

function NewLink({ container, onCreate }: NewLinkProps) {
  const text = useMessages();
  const { data: configurations } = useConfigurationList();
  const { mutateAsync, isPending } = useNewEmbedLink(container.id);
  const fitting = configurations?.filter(({ type }) => type === container.type) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const id = chosen ?? String(fitting[0]?.id ?? '');
  const create = async () => {
    await onCreate(); // otherwise the service returns a link with the same configuration that is about to end
    await mutateAsync(Number(id)).catch((error: unknown) => notifyFailure(text.notSaved, error));
  };
  if (fitting.length === 0) return configurations ? <Text size="sm">{text.noConfiguration}</Text> : null;
  return (
    <Group align="flex-end">
      <NativeSelect
        label={text.configuration}
        value={id}
        data={fitting.map((one) => ({ value: String(one.id), label: one.name.slice(0, MAX_NAME) }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
        maw={420}
      />
      <Button variant="light" loading={isPending} onClick={() => void create()}>
        {text.newLink}
      </Button>
    </Group>
  );
}
