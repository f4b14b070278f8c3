import { Button, Stack, Switch, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { FormState, useResourceForm } from '../elements/resource-form';
import type { Version } from '../elements/version';
import { useRefusals } from '../team/refusals';
import { useMessages } from './customers.messages';
import { type Customer, changeCustomer, createCustomer, readCustomer } from './queries';

/** What operators set of a customer. */
interface CustomerValues extends Record<string, unknown> {
  readonly name: string;
  readonly requireSecondFactor: boolean;
}

const toValues = ({ value: { name, requireSecondFactor }, etag }: Version<Customer>): Version<CustomerValues> => ({
  value: { name, requireSecondFactor },
  etag,
});

interface Props {
  /** Null: a new customer. */
  readonly found: Version<Customer> | null;
  readonly onSaved: (saved: Customer) => void;
}

/** Creates or changes a customer. */
export function CustomerForm({ found, onSaved }: Props) {
  const text = useMessages();
  const explained = useRefusals();
  const { form, submit, isSaving, error, conflict } = useResourceForm<CustomerValues>({
    input: 'CreateCustomerDto',
    initial: found ? toValues(found) : { value: { name: '', requireSecondFactor: false }, etag: '' },
    validate: { name: (name) => (name.trim() ? null : text.nameMissing) },
    ...(found && { reload: async () => toValues(await readCustomer(found.value.id)) }),
    save: async (values, etag, key) => {
      const saved = await explained(found ? changeCustomer(found.value.id, values, etag) : createCustomer(values, key));
      notifications.show({ message: found ? text.saved : text.created });
      onSaved(saved.value);
      return toValues(saved);
    },
  });
  const { name, requireSecondFactor } = text;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={{ name, requireSecondFactor }} />
        <TextInput label={name} required dir="auto" autoComplete="off" {...form.getInputProps('name')} />
        <Switch
          label={requireSecondFactor}
          description={text.requireSecondFactorHint}
          {...form.getInputProps('requireSecondFactor', { type: 'checkbox' })}
        />
        <Button type="submit" loading={isSaving} disabled={found !== null && !form.isDirty()} w="fit-content">
          {found ? text.save : text.createIt}
        </Button>
      </Stack>
    </form>
  );
}
