import { NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Container } from '../library/queries';
import { useConfiguration, useConfigurationList } from '../player-configurations/queries';
import { Simulator } from '../player-configurations/simulator';
import { useMessages } from './medium.messages';
import { useEmbedLinks } from './queries';

/** Whether a described viewer gets in by one of the medium's embed links, and what each rule of its player configuration says. */
export function WhoGetsIn({ container }: { container: Container }) {
  const text = useMessages();
  const { data: links } = useEmbedLinks(container.id);
  const { data: configurations } = useConfigurationList();
  const [chosen, setChosen] = useState<number | null>(null);
  const used = [...new Set(links?.flatMap(({ playerConfigurationId }) => playerConfigurationId ?? []))];
  const id = chosen ?? used[0];
  if (id === undefined) return null;
  const names = new Map(configurations?.map((one) => [one.id, one.name]));
  return (
    <Stack gap="xs">
      {used.length > 1 && (
        <NativeSelect
          label={text.configuration}
          value={String(id)}
          data={used.map((one) => ({ value: String(one), label: names.get(one) ?? String(one) }))}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
          maw={320}
        />
      )}
      <Chosen key={id} id={id} />
    </Stack>
  );
}

function Chosen({ id }: { id: number }) {
  const { data } = useConfiguration(id);
  return data ? <Simulator configuration={data.value} /> : null;
}
