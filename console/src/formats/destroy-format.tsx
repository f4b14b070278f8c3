import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../elements/page-states';
import { useMessages } from './formats.messages';
import { type Format, useDestroyFormat } from './queries';

/** Destroys a format after asking, because it cannot be brought back. */
export function DestroyFormat({ format }: { format: Format }) {
  const text = useMessages();
  const navigate = useNavigate();
  const [isOpen, { open, close }] = useDisclosure();
  const [withItems, setWithItems] = useState(false);
  const { mutate, isPending, error } = useDestroyFormat(format.id);
  const destroy = () =>
    mutate(withItems, {
      onSuccess: () => {
        notifications.show({ message: text.destroyed });
        void navigate({ to: '/formats' });
      },
    });
  return (
    <>
      <Button color="red" variant="light" onClick={open} w="fit-content" aria-haspopup="dialog">
        {text.destroy}
      </Button>
      <Modal opened={isOpen} onClose={close} title={<span className="foreign">{text.destroyTitle(format.name.slice(0, 300))}</span>}>
        <Stack>
          <Text>{text.destroyText}</Text>
          <Checkbox label={text.destroyItems} checked={withItems} onChange={(event) => setWithItems(event.currentTarget.checked)} />
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
