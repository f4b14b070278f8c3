import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { DeleteButton } from '../../elements/delete-button';
import { notifyFailure, notifyWithUndo } from '../../elements/notify';
import { useConfirm } from '../../elements/use-confirm';
import { useFormats } from '../../language';
import { useRefusals } from '../refusals';
import { useMessages } from './people.messages';
import { nameOf } from './people-search';
import { type Person, useDeletePerson, useDisable, useEnable, useInvite, useResetSecondFactor } from './queries';

/** Whether a person may use the service: invites them again, disables, enables and deletes them. */
export function PersonAccess({ person, isSelf }: { person: Person; isSelf: boolean }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const explained = useRefusals();
  const { mutateAsync: disable, isPending: isDisabling } = useDisable(person.id);
  const { mutateAsync: enable, isPending: isEnabling } = useEnable(person.id);
  const { mutateAsync: invite, isPending: isInviting } = useInvite(person.id);
  const { mutateAsync: resetFactor } = useResetSecondFactor(person.id);
  const { ask, dialog } = useConfirm();
  const { mutateAsync: remove } = useDeletePerson(person.id);
  const name = nameOf(person);
  const attempt = (title: string, act: () => Promise<unknown>) =>
    void explained(act()).catch((error: unknown) => notifyFailure(title, error));
  const inviteAgain = () =>
    attempt(text.inviteAgain, async () => {
      await invite();
      notifyWithUndo(text.invited(name));
    });
  const disableNow = () =>
    attempt(text.disable, async () => {
      await disable();
      notifyWithUndo(text.wasDisabled(name), { label: text.undo, act: async () => await explained(enable()) });
    });
  const enableNow = () =>
    attempt(text.enable, async () => {
      await enable();
      notifyWithUndo(text.wasEnabled(name), { label: text.undo, act: async () => await explained(disable()) });
    });
  const resetNow = async () => {
    await explained(resetFactor());
    notifyWithUndo(text.resetFactorSent(name));
  };
  const askToReset = () =>
    ask({ title: text.resetFactorTitle(name), consequence: text.resetFactorText, verb: text.resetFactor, act: resetNow });
  return (
    <Stack component="section">
      <Title order={2} size="h4">
        {text.access}
      </Title>
      {person.kind === 'person' && !person.hasPassword && !person.disabledAt && (
        <Choice hint={text.inviteAgainHint}>
          <Button variant="default" loading={isInviting} onClick={inviteAgain}>
            {text.inviteAgain}
          </Button>
        </Choice>
      )}
      {person.hasSecondFactor && !person.disabledAt && !isSelf && (
        <Choice hint={text.resetFactorHint}>
          <Button variant="default" aria-haspopup="dialog" onClick={askToReset}>
            {text.resetFactor}
          </Button>
        </Choice>
      )}
      {!isSelf && (
        <>
          {person.disabledAt ? (
            <Choice hint={text.enableHint(dateTime(person.disabledAt))}>
              <Button variant="default" loading={isEnabling} onClick={enableNow}>
                {text.enable}
              </Button>
            </Choice>
          ) : (
            <Choice hint={text.disableHint}>
              <Button variant="default" loading={isDisabling} onClick={disableNow}>
                {text.disable}
              </Button>
            </Choice>
          )}
          <Choice hint={text.deleteHint}>
            <DeleteButton
              name={name}
              consequence={text.deleteText}
              onDelete={async () => await explained(remove())}
              done={text.deleted}
              leadsTo="/team"
            />
          </Choice>
        </>
      )}
      {dialog}
    </Stack>
  );
}

/** A button, and what it does. */
function Choice({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" flex="1 1 240px">
        {hint}
      </Text>
      {children}
    </Group>
  );
}
