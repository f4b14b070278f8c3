import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { messages } from '../language';
import { ConfirmDialog } from './confirm-dialog';
import { focusHeading } from './focus';
import { MAX_NAME } from './max-name';

const useMessages = messages({
  en: {
    verbs: { delete: 'Delete', destroy: 'Destroy' },
    titles: { delete: (name: string) => `Delete ${name}?`, destroy: (name: string) => `Destroy ${name}?` },
  },
  de: {
    verbs: { delete: 'Löschen', destroy: 'Löschen' },
    titles: { delete: (name: string) => `${name} löschen?`, destroy: (name: string) => `${name} löschen?` },
  },
});

interface Props {
  /** What is deleted. */
  readonly name: string;
  /** What that means. */
  readonly consequence: string;
  /** `destroy`: what depends on it may go with it. */
  readonly verb?: 'delete' | 'destroy';
  /** What can be chosen about what depends on it. */
  readonly children?: ReactNode;
  readonly onOpen?: () => void;
  readonly onDelete: () => Promise<unknown>;
  /** What is said afterwards, and the page to which it leads. */
  readonly done?: string;
  readonly leadsTo?: string;
}

/** Deletes something that cannot be brought back, after asking. An error is shown in the dialog. */
export function DeleteButton({ name, consequence, verb = 'delete', children, onOpen, onDelete, done, leadsTo }: Props) {
  const text = useMessages();
  const navigate = useNavigate();
  const [isOpen, { open, close }] = useDisclosure();
  const isDeleted = useRef(false);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: onDelete,
    onSuccess: async () => {
      if (done) notifications.show({ message: done });
      if (!leadsTo) return close();
      isDeleted.current = true;
      await navigate({ to: leadsTo });
    },
  });
  useEffect(
    () => () => {
      if (isDeleted.current) requestAnimationFrame(() => focusHeading()); // of the page to which it leads
    },
    [],
  );
  const ask = () => {
    reset();
    onOpen?.();
    open();
  };
  return (
    <>
      <Button color="red" variant="light" onClick={ask} w="fit-content" aria-haspopup="dialog">
        {text.verbs[verb]}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={text.titles[verb](name.slice(0, MAX_NAME))}
        consequence={consequence}
        verb={text.verbs[verb]}
        isPending={isPending}
        error={error}
        onConfirm={() => mutate()}
        onClose={close}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
