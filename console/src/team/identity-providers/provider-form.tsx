import { Button, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { FormState, useResourceForm } from '../../elements/resource-form';
import type { Version } from '../../elements/version';
import { useRefusals } from '../refusals';
import { useMessages } from './identity-providers.messages';
import { MetadataField, notifyLeftOut, useMetadataCheck } from './metadata-field';
import {
  changeIdentityProvider,
  createIdentityProvider,
  type IdentityProvider,
  type IdentityProviderChanges,
  readIdentityProvider,
  type SavedIdentityProvider,
} from './queries';

/** What the form of an identity provider contains; identifier and metadata only of a new one. */
interface ProviderValues extends Record<string, unknown> {
  readonly ssoIdentifier: string;
  readonly metadata: string;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly createUsers: boolean;
  readonly linkByEmail: boolean;
  readonly signedResponse: boolean;
}

/** The defaults of the service. */
const NEW: ProviderValues = {
  ...{ ssoIdentifier: '', metadata: '', email: '', firstname: '', lastname: '' },
  ...{ createUsers: false, linkByEmail: true, signedResponse: true },
};

const toValues = ({ value, etag }: Version<IdentityProvider>): Version<ProviderValues> => {
  const { ssoIdentifier, attributeMapping, createUsers, linkByEmail, signedResponse } = value;
  const { email = '', firstname = '', lastname = '' } = attributeMapping;
  return { value: { ssoIdentifier, metadata: '', email, firstname, lastname, createUsers, linkByEmail, signedResponse }, etag };
};

function toChanges({ email, firstname, lastname, createUsers, linkByEmail, signedResponse }: ProviderValues): IdentityProviderChanges {
  const names = Object.entries({ email, firstname, lastname }).map(([field, name]) => [field, name.trim()] as const);
  return { attributeMapping: Object.fromEntries(names.filter(([, name]) => name)), createUsers, linkByEmail, signedResponse };
}

interface Props {
  /** Null: a new identity provider. */
  readonly found: Version<IdentityProvider> | null;
  readonly isDisabled?: boolean;
  readonly onSaved: (saved: SavedIdentityProvider) => void;
}

/** Creates an identity provider from its metadata, or changes how people sign in with it. */
export function ProviderForm({ found, isDisabled = false, onSaved }: Props) {
  const text = useMessages();
  const explained = useRefusals();
  const checkMetadata = useMetadataCheck();
  const { form, submit, isSaving, error, conflict } = useResourceForm<ProviderValues>({
    input: 'AttributeMappingDto',
    initial: found ? toValues(found) : { value: NEW, etag: '' },
    fieldOf: (path) => path.replace(/^attributeMapping\./, ''),
    validate: {
      ssoIdentifier: (identifier) => (found || /^[\w.-]+$/.test(identifier.trim()) ? null : text.identifierMissing),
      metadata: (xml) => (found ? null : checkMetadata(xml)),
    },
    ...(found && { reload: async () => toValues(await readIdentityProvider(found.value.id)) }),
    save: async (values, etag, key) => {
      const { ssoIdentifier, metadata } = values;
      const changes = toChanges(values);
      const created = { ssoIdentifier: ssoIdentifier.trim(), metadata, ...changes };
      const saved = await explained(found ? changeIdentityProvider(found.value.id, changes, etag) : createIdentityProvider(created, key));
      notifications.show({ message: found ? text.saved : text.created });
      notifyLeftOut(text.leftOut, saved.value.certificatesLeftOut);
      onSaved(saved.value);
      return toValues(saved);
    },
  });
  const { identifier, metadata, email, firstname, lastname, createUsers, linkByEmail, signedResponse } = text;
  const labels = { ssoIdentifier: identifier, metadata, email, firstname, lastname, createUsers, linkByEmail, signedResponse };
  return (
    <form onSubmit={submit} noValidate>
      <fieldset className="bare" disabled={isDisabled}>
        <Stack>
          <FormState error={error} conflict={conflict} labels={labels} />
          {!found && (
            <>
              <TextInput label={identifier} description={text.identifierHint} required {...form.getInputProps('ssoIdentifier')} />
              <MetadataField
                required
                value={form.values.metadata}
                onRead={(xml) => form.setFieldValue('metadata', xml)}
                error={form.errors.metadata}
              />
            </>
          )}
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput label={email} description={text.emailHint} {...form.getInputProps('email')} />
            <TextInput label={firstname} description={text.nameHint} {...form.getInputProps('firstname')} />
            <TextInput label={lastname} description={text.nameHint} {...form.getInputProps('lastname')} />
          </SimpleGrid>
          <Switch label={linkByEmail} {...form.getInputProps('linkByEmail', { type: 'checkbox' })} />
          <Switch label={createUsers} {...form.getInputProps('createUsers', { type: 'checkbox' })} />
          <Switch label={signedResponse} {...form.getInputProps('signedResponse', { type: 'checkbox' })} />
          {!isDisabled && (
            <Button type="submit" loading={isSaving} disabled={found !== null && !form.isDirty()} w="fit-content">
              {found ? text.save : text.createIt}
            </Button>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}
