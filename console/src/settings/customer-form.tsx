import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { FormState, useResourceForm } from '../elements/resource-form';
import type { Version } from '../elements/version';
import { useFormats } from '../language';
import { keys } from '../query-keys';
import { changeCustomer, readCustomer } from './queries';
import { useMessages } from './settings.messages';

/** What administrators change of their customer. */
interface CustomerValues extends Record<string, unknown> {
  readonly name: string;
  readonly requireSecondFactor: boolean;
  /** The moment as a field of type datetime-local writes it, in the time zone of the browser; empty: support has no access. */
  readonly supportAccessUntil: string;
}

type Read = Awaited<ReturnType<typeof readCustomer>>;

const atMinute = (time: string): string => {
  const moment = new Date(time);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const toValues = ({ value: { name, requireSecondFactor, supportAccessUntil }, etag }: Read): Version<CustomerValues> => ({
  value: { name, requireSecondFactor, supportAccessUntil: supportAccessUntil ? atMinute(supportAccessUntil) : '' },
  etag,
});

/** Changes the name of the customer, and who gets in: second factor, access of support staff. */
export function CustomerForm({ found }: { found: Read }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const queries = useQueryClient();
  const { form, submit, isSaving, error, conflict } = useResourceForm<CustomerValues>({
    input: 'UpdateCustomerDto',
    initial: toValues(found),
    validate: { name: (name) => (name.trim() ? null : text.nameMissing) },
    reload: async () => toValues(await readCustomer()),
    save: async ({ name, requireSecondFactor, supportAccessUntil }, etag) => {
      const until = supportAccessUntil ? new Date(supportAccessUntil).toISOString() : null;
      // Support staff may change the rest, but not how long they have access.
      const access = form.isDirty('supportAccessUntil') ? { supportAccessUntil: until } : {};
      const saved = await changeCustomer({ name, requireSecondFactor, ...access }, etag);
      notifications.show({ message: text.saved });
      void queries.invalidateQueries({ queryKey: keys.own.customer });
      return toValues(saved);
    },
  });
  const { name, requireSecondFactor, supportAccessUntil } = text;
  const until = form.values.supportAccessUntil;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={{ name, requireSecondFactor, supportAccessUntil }} />
        <TextInput label={name} required dir="auto" {...form.getInputProps('name')} />
        <Switch
          label={requireSecondFactor}
          description={text.secondFactorHint}
          {...form.getInputProps('requireSecondFactor', { type: 'checkbox' })}
        />
        <TextInput
          type="datetime-local"
          label={supportAccessUntil}
          description={text.supportHint}
          {...form.getInputProps('supportAccessUntil')}
        />
        <Text size="sm">{until ? text.supportUntil(dateTime(until)) : text.noSupport}</Text>
        <Button type="submit" loading={isSaving} w="fit-content">
          {text.save}
        </Button>
      </Stack>
    </form>
  );
}
