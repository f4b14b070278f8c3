import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Confirmation, explain, isUnconfirmed } from './page-states';

/** Long enough to read the message and to reach the button by keyboard. */
export const UNDO_MS = 10_000;

/** Shows a message, with a button that undoes the change. Returns its id. */
export function notifyWithUndo(message: string, undo?: { readonly label: string; readonly act: () => Promise<unknown> }): string {
  const id = notifications.show({
    autoClose: undo ? UNDO_MS : 5_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" className="foreign">
          {message}
        </Text>
        {undo && (
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => {
              notifications.hide(id);
              void undo.act().catch((error: unknown) => notifyFailure(message, error));
            }}
          >
            {undo.label}
          </Button>
        )}
      </Group>
    ),
  });
  return id;
}

/** Shows an error that concerns no field of the page; it stays until it is closed. */
export const notifyFailure = (title: string, error: unknown): void =>
  void notifications.show({
    color: isUnconfirmed(error) ? 'yellow' : 'red',
    title,
    message: isUnconfirmed(error) ? <Confirmation /> : <span className="foreign">{explain(error)}</span>,
    autoClose: false,
  });

/** Reports that something was saved, and what the service ignored of the input (`ignored` of its response). */
export function notifySaved(message: string, title: string, ignored: readonly Ignored[] = []): void {
  notifications.show({ message });
  if (ignored.length === 0) return;
  const parts = ignored.map(({ path, reason }) => `${path}: ${reason}`);
  notifications.show({ color: 'yellow', title, message: <span className="foreign">{parts.join('\n')}</span>, autoClose: false });
}

interface Ignored {
  readonly path: string;
  readonly reason: string;
}
