import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { DeleteButton } from '../elements/delete-button';
import { useFormats } from '../language';
import { useMessages } from './configurations.messages';
import { type Configuration, useConfigurations, useDestroyConfiguration } from './queries';

const DELETE_LINKS = '-1';

/** Destroys a player configuration after asking what becomes of its links. */
export function DestroyConfiguration({ configuration }: { configuration: Configuration }) {
  const text = useMessages();
  const { number } = useFormats();
  const { data: all, refetch } = useConfigurations();
  const { mutateAsync } = useDestroyConfiguration(configuration.id);
  const [move, setMove] = useState(DELETE_LINKS);
  const { id, name, type } = configuration;
  const count = all?.find((one) => one.id === id)?.countEmbeds ?? configuration.countEmbeds ?? 0;
  const targets = all?.filter((one) => one.type === type && one.id !== id) ?? [];
  return (
    <DeleteButton
      verb="destroy"
      name={name}
      consequence={text.destroyText}
      onOpen={() => void refetch()} // links may have been created since the page was opened
      onDelete={async () => await mutateAsync(count > 0 ? Number(move) : undefined)}
      done={text.destroyed}
      leadsTo="/player-configurations"
    >
      {count > 0 && (
        <>
          <Text>{text.linksGo(count, number(count))}</Text>
          <NativeSelect
            label={text.whatOfLinks}
            value={move}
            data={[
              { value: DELETE_LINKS, label: text.deleteLinks },
              ...targets.map((one) => ({ value: String(one.id), label: text.moveTo(one.name.slice(0, 100)) })),
            ]}
            onChange={({ currentTarget: { value } }) => setMove(value)}
          />
        </>
      )}
    </DeleteButton>
  );
}
