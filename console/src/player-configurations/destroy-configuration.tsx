import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../elements/page-states';
import { useFormats } from '../language';
import { useMessages } from './configurations.messages';
import { type Configuration, useConfigurations, useDestroyConfiguration } from './queries';

const DELETE_LINKS = '-1';

/** Destroys a player configuration after asking what becomes of its links. */
export function DestroyConfiguration({ configuration }: { configuration: Configuration }) {
  const text = useMessages();
  const { number } = useFormats();
  const navigate = useNavigate();
  const [isOpen, { open, close }] = useDisclosure();
  const { data: all, refetch } = useConfigurations();
  const { mutate, isPending, error } = useDestroyConfiguration(configuration.id);
  const [move, setMove] = useState(DELETE_LINKS);
  const { id, name, type } = configuration;
  const count = all?.find((one) => one.id === id)?.countEmbeds ?? configuration.countEmbeds ?? 0;
  const targets = all?.filter((one) => one.type === type && one.id !== id) ?? [];
  const ask = () => {
    void refetch(); // links may have been created since the page was opened
    open();
  };
  const destroy = () =>
    mutate(count > 0 ? Number(move) : undefined, {
      onSuccess: () => {
        notifications.show({ message: text.destroyed });
        void navigate({ to: '/player-configurations' });
      },
    });
  return (
    <>
      <Button color="red" variant="light" onClick={ask} w="fit-content" aria-haspopup="dialog">
        {text.destroy}
      </Button>
      <Modal opened={isOpen} onClose={close} title={<span className="foreign">{text.destroyTitle(name.slice(0, 300))}</span>}>
        <Stack>
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
          <Text>{text.destroyText}</Text>
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text.cancel}
            </Button>
            <Button color="red" loading={isPending} onClick={destroy}>
              {text.destroy}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
