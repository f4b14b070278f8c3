import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Failure } from '../../elements/page-states';
import { useRefusals } from '../refusals';
import { useMessages } from './applications.messages';
import { rotateSecret } from './queries';

interface Props {
  readonly id: number;
  readonly onSecret: (secret: string) => void;
}

/** Replaces the secret of an application after asking how long the previous one stays valid. */
export function RotateSecret({ id, onSecret }: Props) {
  const text = useMessages();
  const explained = useRefusals();
  const [isOpen, { open, close }] = useDisclosure();
  const [keepOld, setKeepOld] = useState('86400');
  const [isRotating, setRotating] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // Not a mutation: its cache would keep the secret.
  const rotate = async () => {
    setRotating(true);
    setError(null);
    try {
      const { clientSecret } = await explained(rotateSecret(id, Number(keepOld)));
      close();
      onSecret(clientSecret);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setRotating(false);
    }
  };
  return (
    <Group gap="xs">
      <Button variant="default" onClick={open} aria-haspopup="dialog">
        {text.rotate}
      </Button>
      <Text size="sm">{text.rotateHint}</Text>
      <Modal opened={isOpen} onClose={close} title={text.rotate}>
        <Stack>
          <Text>{text.rotateText}</Text>
          <NativeSelect
            label={text.keepOld}
            value={keepOld}
            data={Object.entries(text.periods).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget: { value } }) => setKeepOld(value)}
          />
          {error !== null && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text.cancel}
            </Button>
            <Button loading={isRotating} onClick={() => void rotate()}>
              {text.rotate}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}
