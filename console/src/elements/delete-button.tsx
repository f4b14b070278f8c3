import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { messages } from '../language';
import { Failure } from './page-states';

const useMessages = messages({
  en: { delete: 'Delete', cancel: 'Cancel', title: (name: string) => `Delete ${name}?` },
  de: { delete: 'Löschen', cancel: 'Abbrechen', title: (name: string) => `${name} löschen?` },
});

interface Props {
  /** What is deleted. */
  readonly name: string;
  /** What that means. */
  readonly consequence: string;
  readonly onDelete: () => Promise<unknown>;
}

/** Deletes something that cannot be brought back, after asking. An error is shown in the dialog. */
export function DeleteButton({ name, consequence, onDelete }: Props) {
  const text = useMessages();
  const [isOpen, { open, close }] = useDisclosure();
  const { mutate, isPending, error } = useMutation({ mutationFn: onDelete });
  return (
    <>
      <Button color="red" variant="light" onClick={open} w="fit-content" aria-haspopup="dialog">
        {text.delete}
      </Button>
      <Modal opened={isOpen} onClose={close} title={<span className="foreign">{text.title(name.slice(0, 300))}</span>}>
        <Stack>
          <Text>{consequence}</Text>
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text.cancel}
            </Button>
            <Button color="red" loading={isPending} onClick={() => mutate()}>
              {text.delete}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
