import { Button, Card, Code, CopyButton, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { CheckIcon, CopyIcon } from '../elements/icons';
import { notifyFailure } from '../elements/notify';
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
              <Copy label={text.copySnippet} value={link.snippet} />
              <Copy label={text.copyLink} value={link.url} />
            </Group>
            <Code block>{link.snippet}</Code>
          </>
        ) : (
          links && <Text>{text.noLink}</Text>
        )}
        <NewLink container={container} />
      </Stack>
    </Card>
  );
}

function Copy({ label, value }: { label: string; value: string }) {
  const text = useMessages();
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button variant="default" size="xs" onClick={copy} leftSection={copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}>
          {copied ? text.copied : label}
        </Button>
      )}
    </CopyButton>
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
