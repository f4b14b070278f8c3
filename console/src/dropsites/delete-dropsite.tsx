import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Failure } from '../elements/page-states';
import { useMessages } from './dropsites.messages';
import { type Dropsite, useDeleteDropsite } from './queries';

/** Deletes a dropsite after asking, because its link never works again. */
export function DeleteDropsite({ dropsite }: { dropsite: Dropsite }) {
  const text = useMessages();
  const navigate = useNavigate();
  const [isOpen, { open, close }] = useDisclosure();
  const { mutate, isPending, error } = useDeleteDropsite(dropsite.id);
  const remove = () =>
    mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: text.deleted });
        void navigate({ to: '/dropsites' });
      },
    });
  return (
    <>
      <Button color="red" variant="light" onClick={open} w="fit-content" aria-haspopup="dialog">
        {text.delete}
      </Button>
      <Modal opened={isOpen} onClose={close} title={<span className="foreign">{text.deleteTitle(dropsite.name.slice(0, 300))}</span>}>
        <Stack>
          <Text>{text.deleteText}</Text>
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text.cancel}
            </Button>
            <Button color="red" loading={isPending} onClick={remove}>
              {text.delete}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
