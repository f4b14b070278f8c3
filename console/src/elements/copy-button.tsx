import { Button, CopyButton as MantineCopyButton } from '@mantine/core';
import { messages } from '../language';
import { CheckIcon, CopyIcon } from './icons';

const useMessages = messages({ en: { copied: 'Copied' }, de: { copied: 'Kopiert' } });

/** Copies a text, and says so. */
export function CopyButton({ label, value }: { label: string; value: string }) {
  const text = useMessages();
  return (
    <MantineCopyButton value={value}>
      {({ copied, copy }) => (
        <Button variant="default" size="xs" onClick={copy} leftSection={copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}>
          {copied ? text.copied : label}
        </Button>
      )}
    </MantineCopyButton>
  );
}
