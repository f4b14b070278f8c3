import { Button, FileButton, Group, Stack, Textarea, type TextareaProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { limits } from '@media-delivery/sdk';
import { notifyFailure } from '../../elements/notify';
import { useMessages } from './identity-providers.messages';

/** Bytes that the service accepts. */
const MAX_METADATA = limits.CreateIdentityProviderDto.metadata.maxLength;

/** What is wrong with metadata that cannot be sent; null: it can. */
export function useMetadataCheck(): (xml: string) => string | null {
  const text = useMessages();
  return (xml) => (!xml.trim() ? text.metadataMissing : new Blob([xml]).size > MAX_METADATA ? text.metadataTooLong : null);
}

/** Reports why certificates of the metadata are not used; it stays until it is closed. */
export function notifyLeftOut(title: string, reasons: readonly string[] = []): void {
  if (reasons.length === 0) return;
  notifications.show({ color: 'yellow', title, message: <span className="foreign">{reasons.join('\n')}</span>, autoClose: false });
}

interface Props extends Omit<TextareaProps, 'onChange' | 'value'> {
  readonly value: string;
  readonly onRead: (xml: string) => void;
}

/** The metadata of an identity provider, pasted as text or read from a file. */
export function MetadataField({ value, onRead, ...props }: Props) {
  const text = useMessages();
  const read = (file: File | null) => {
    if (!file) return;
    // The service refuses more; a file that was chosen by mistake may be too large for a field.
    void file
      .slice(0, MAX_METADATA + 1)
      .text()
      .then(onRead, (error: unknown) => notifyFailure(file.name, error));
  };
  return (
    <Stack gap="xs">
      <Textarea
        label={text.metadata}
        description={text.metadataHint}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'monospace' } }}
        value={value}
        onChange={({ currentTarget }) => onRead(currentTarget.value)}
        {...props}
      />
      <Group>
        <FileButton onChange={read} accept=".xml,application/xml,text/xml,application/samlmetadata+xml">
          {(button) => (
            <Button variant="default" size="xs" {...button}>
              {text.chooseFile}
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}
