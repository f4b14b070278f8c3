import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { focusHeading } from './focus';
import { MAX_NAME } from './max-name';

/** What is asked before something is done that cannot be undone. */
export interface Question {
  readonly title: string;
  /** What it means. */
  readonly consequence: string;
  /** What the button says. */
  readonly verb: string;
  readonly act: () => Promise<unknown>;
}

/**
 * One dialog for the questions of a list: `ask` opens `dialog`, which closes when the work is done. The focus returns to the control that asked, or to the
 * heading of its section if the control is gone with what was removed.
 */
export function useConfirm() {
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, { open, close }] = useDisclosure();
  const heading = useRef<HTMLElement | null>(null);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (asked: Question) => void (await asked.act()),
    onSuccess: close,
  });
  const ask = (asked: Question) => {
    reset();
    heading.current = document.activeElement?.closest('section')?.querySelector<HTMLElement>('h1, h2, h3') ?? null;
    setQuestion(asked);
    open();
  };
  const keepFocus = () => {
    if (document.activeElement === document.body) focusHeading(heading.current?.isConnected ? heading.current : undefined);
  };
  const dialog = (
    <ConfirmDialog
      isOpen={isOpen}
      title={question?.title.slice(0, MAX_NAME) ?? ''}
      consequence={question?.consequence ?? ''}
      verb={question?.verb ?? ''}
      isPending={isPending}
      error={error}
      onConfirm={() => question && mutate(question)}
      onClose={close}
      onClosed={keepFocus}
    />
  );
  return { ask, dialog };
}
