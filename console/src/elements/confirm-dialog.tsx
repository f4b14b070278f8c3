import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { messages } from '../language';
import { Failure } from './page-states';

const useMessages = messages({ en: { cancel: 'Cancel' }, de: { cancel: 'Abbrechen' } });

interface Props {
  readonly isOpen: boolean;
  readonly title: string;
  /** What it means. */
  readonly consequence: string;
  /** What the button says. */
  readonly verb: string;
  /** What can be chosen about it. */
  readonly children?: ReactNode;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly onClosed?: () => void;
}

/** Asks before something is done that cannot be undone, and shows why it failed. */
export function ConfirmDialog({ isOpen, title, consequence, verb, children, isPending, error, onConfirm, onClose, onClosed }: Props) {
  const text = useMessages();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      {...(onClosed && { onExitTransitionEnd: onClosed })}
      title={<span className="foreign">{title}</span>}
    >
      <Stack>
        {children}
        <Text>{consequence}</Text>
        {error !== null && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button color="red" loading={isPending} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
