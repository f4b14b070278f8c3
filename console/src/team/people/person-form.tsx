import { Button, Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { notifyWithUndo } from '../../elements/notify';
import { FormState, useResourceForm } from '../../elements/resource-form';
import type { Version } from '../../elements/version';
import { useFormats } from '../../language';
import { useMe } from '../../shell/me';
import { useRefusals } from '../refusals';
import { useMessages } from './people.messages';
import { nameOf } from './people-search';
import { changePerson, createPerson, type Person, readPerson } from './queries';

/** What the form of a person contains. */
interface PersonValues extends Record<string, unknown> {
  readonly kind: 'person' | 'service';
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly adminLevel: string;
  readonly requireSecondFactor: boolean;
}

const NEW: PersonValues = { kind: 'person', email: '', firstname: '', lastname: '', adminLevel: '0', requireSecondFactor: false };

const toValues = ({ value, etag }: Version<Person>): Version<PersonValues> => {
  const { email, firstname, lastname, adminLevel, requireSecondFactor } = value;
  const kind = value.kind === 'service' ? 'service' : 'person';
  return { value: { kind, email, firstname, lastname, adminLevel: String(adminLevel), requireSecondFactor }, etag };
};

const WHOLE = /^\d{1,9}$/;

interface Props {
  /** Null: a person to invite. */
  readonly found: Version<Person> | null;
  /** The customer of a new person; absent: the caller's own. */
  readonly customerId?: number;
  readonly isDisabled?: boolean;
  readonly onSaved: (saved: Person) => void;
}

/** Invites a person, creates a service, or changes one of them. */
export function PersonForm({ found, customerId, isDisabled = false, onSaved }: Props) {
  const text = useMessages();
  const { number } = useFormats();
  const { adminLevel: most } = useMe();
  const explained = useRefusals();
  const { form, submit, isSaving, error, conflict } = useResourceForm<PersonValues>({
    input: 'CreateUserDto',
    initial: found ? toValues(found) : { value: NEW, etag: '' },
    validate: {
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : text.emailWrong),
      adminLevel: (level) =>
        !WHOLE.test(level)
          ? text.levelWrong
          : Number(level) > most && level !== String(found?.value.adminLevel)
            ? text.levelTooHigh(number(most))
            : null,
    },
    ...(found && { reload: async () => toValues(await readPerson(found.value.id)) }),
    save: async ({ kind, email, firstname, lastname, adminLevel, requireSecondFactor }, etag, key) => {
      const fields = { email: email.trim(), firstname, lastname, adminLevel: Number(adminLevel), requireSecondFactor };
      const created = { ...fields, kind, ...(customerId !== undefined && { customerId }) };
      const saved = await explained(found ? changePerson(found.value.id, fields, etag) : createPerson(created, key));
      const name = nameOf(saved.value);
      const done = found ? text.saved : kind === 'person' ? text.invited(name) : text.created(name);
      notifyWithUndo(done);
      onSaved(saved.value);
      return toValues(saved);
    },
  });
  const { email, firstname, lastname, adminLevel, requireSecondFactor } = text;
  const isService = form.values.kind === 'service';
  return (
    <form onSubmit={submit} noValidate>
      <fieldset className="bare" disabled={isDisabled}>
        <Stack>
          <FormState error={error} conflict={conflict} labels={{ email, firstname, lastname, adminLevel, requireSecondFactor }} />
          {!found && (
            <Radio.Group label={text.kind} {...form.getInputProps('kind')}>
              <Stack gap="xs" mt={4}>
                <Radio value="person" label={text.kinds.person} />
                <Radio value="service" label={text.kinds.service} />
              </Stack>
            </Radio.Group>
          )}
          <TextInput type="email" label={email} required autoComplete="off" {...form.getInputProps('email')} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={firstname} dir="auto" autoComplete="off" {...form.getInputProps('firstname')} />
            <TextInput label={lastname} dir="auto" autoComplete="off" {...form.getInputProps('lastname')} />
          </SimpleGrid>
          <TextInput
            label={adminLevel}
            description={text.adminLevelHint(number(most))}
            inputMode="numeric"
            {...form.getInputProps('adminLevel')}
          />
          {!isService && <Switch label={requireSecondFactor} {...form.getInputProps('requireSecondFactor', { type: 'checkbox' })} />}
          {!isDisabled && (
            <Button type="submit" loading={isSaving} disabled={found !== null && !form.isDirty()} w="fit-content">
              {found ? text.save : isService ? text.createService : text.send}
            </Button>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}
