import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useDraft } from '../../elements/drafts';
import { Failure } from '../../elements/page-states';
import { PersonSelect } from '../people/person-select';
import { useMessages } from './access-keys.messages';

/** A button with a dialog that asks for whom a key is created. */
export function CreateAccessKey({ onCreate }: { onCreate: (userId: number) => Promise<void> }) {
  const text = useMessages();
  const kept: string | undefined = useDraft<string>('new access key', (): string | undefined =>
    isOpen && userId !== null ? userId : undefined,
  );
  const [isOpen, { open, close }] = useDisclosure(kept !== undefined);
  const [userId, setUserId] = useState<string | null>(kept ?? null);
  const [isCreating, setCreating] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const start = () => {
    setUserId(null);
    setMissing(false);
    setError(null);
    open();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMissing(userId === null);
    if (userId === null) return;
    setCreating(true);
    setError(null);
    await onCreate(Number(userId)).then(close, setError);
    setCreating(false);
  };
  return (
    <>
      <Button onClick={start} aria-haspopup="dialog">
        {text.create}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text.create}>
        <form onSubmit={(event) => void submit(event)} noValidate>
          <Stack>
            <PersonSelect
              label={text.chooseUser}
              required
              value={userId}
              onChange={setUserId}
              error={isMissing && userId === null ? text.userMissing : undefined}
              data-autofocus
            />
            {error !== null && <Failure error={error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {text.cancel}
              </Button>
              <Button type="submit" loading={isCreating}>
                {text.createIt}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
