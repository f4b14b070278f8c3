import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyButton } from '../elements/copy-button';
import { useMessages } from './team.messages';

/** What is shown only once: what it is called, and its value. */
export interface Secret {
  readonly label: string;
  readonly value: string;
}

interface Props {
  /** Null: the dialog is closed. The caller keeps them nowhere else, so that closing the dialog forgets them. */
  readonly secrets: readonly Secret[] | null;
  readonly onClose: () => void;
}

/** Shows secrets once, with buttons that copy them. A click beside the dialog does not close it. */
export function SecretDialog({ secrets, onClose }: Props) {
  const text = useMessages();
  return (
    <Modal opened={secrets !== null} onClose={onClose} title={text.secretTitle} size="lg" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" variant="outline" role="status">
          {text.secretWarning}
        </Alert>
        {secrets?.map(({ label, value }) => (
          <Stack key={label} gap={4}>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <Group gap="xs">
              <Code className="wrapped" fz="sm">
                {value}
              </Code>
              <CopyButton label={text.copy(label)} value={value} />
            </Group>
          </Stack>
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>{text.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
