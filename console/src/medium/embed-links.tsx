import { Button, Card, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../elements/copy-button';
import { notifyFailure } from '../elements/notify';
import { QrCode } from '../elements/qr-code';
import type { Container } from '../library/queries';
import { useMessages } from './medium.messages';
import { useEmbedLinks, useNewEmbedLink, usePlayerConfigurations } from './queries';

/** The player as viewers get it, and the links with which pages embed it. */
export function EmbedLinks({ container }: { container: Container }) {
  const text = useMessages();
  const { data: links } = useEmbedLinks(container.id);
  const link = links?.[0];
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {text.player}
        </Title>
        {link ? (
          <>
            <iframe
              className="player-frame"
              src={link.url}
              title={text.playerOf(container.name.slice(0, 300))}
              allow="fullscreen; autoplay"
            />
            <Group>
              <CopyButton label={text.copySnippet} value={link.snippet} />
              <CopyButton label={text.copyLink} value={link.url} />
            </Group>
            <Group align="flex-start">
              <QrCode text={link.url} label={text.qrCode(container.name.slice(0, 300))} />
              <Code block className="foreign wrapped" flex="1 1 240px" miw={0}>
                {link.snippet}
              </Code>
            </Group>
          </>
        ) : (
          links && <Text>{text.noLink}</Text>
        )}
        <NewLink container={container} />
      </Stack>
    </Card>
  );
}

function NewLink({ container }: { container: Container }) {
  const text = useMessages();
  const { data: configurations } = usePlayerConfigurations();
  const { mutateAsync, isPending } = useNewEmbedLink(container.id);
  const fitting = configurations?.filter(({ type }) => type === container.type) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const id = chosen ?? String(fitting[0]?.id ?? '');
  if (fitting.length === 0) return configurations ? <Text size="sm">{text.noConfiguration}</Text> : null;
  return (
    <Group align="flex-end">
      <NativeSelect
        label={text.configuration}
        value={id}
        data={fitting.map((one) => ({ value: String(one.id), label: one.name }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Button
        variant="light"
        loading={isPending}
        onClick={() => void mutateAsync(Number(id)).catch((error: unknown) => notifyFailure(text.notSaved, error))}
      >
        {text.newLink}
      </Button>
    </Group>
  );
}
