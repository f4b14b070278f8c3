import { Button, Checkbox, NativeSelect, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { FormState, useResourceForm } from '../../elements/resource-form';
import { mapVersion, type Version } from '../../elements/version';
import { OPERATOR } from '../../shell/levels';
import { useMe } from '../../shell/me';
import { PersonSelect } from '../people/person-select';
import { useRefusals } from '../refusals';
import { type ApplicationValues, fieldOf, GRANT_TYPES, linesOf, TYPES, toChanges, toNew, toValues } from './application-values';
import { useMessages } from './applications.messages';
import { type Application, changeApplication, createApplication, readApplication, type SavedApplication } from './queries';

interface Props {
  /** Null: a new application. */
  readonly found: Version<Application> | null;
  readonly isDisabled?: boolean;
  /** Gets the secret too, if one was generated. */
  readonly onSaved: (saved: SavedApplication) => void;
}

/** Creates or changes an application. */
export function ApplicationForm({ found, isDisabled = false, onSaved }: Props) {
  const text = useMessages();
  const { adminLevel } = useMe();
  const explained = useRefusals();
  const initial = toValues(found?.value ?? null);
  const { form, submit, isSaving, error, conflict } = useResourceForm<ApplicationValues>({
    input: 'CreateClientDto',
    initial: { value: initial, etag: found?.etag ?? '' },
    fieldOf,
    validate: {
      name: (name) => (name.trim() ? null : text.nameMissing),
      redirectUris: (uris, { grantTypes }) =>
        grantTypes.includes('authorization_code') && linesOf(uris).length === 0 ? text.redirectUrisMissing : null,
      serviceUserId: (id, { grantTypes }) => (grantTypes.includes('client_credentials') && id === null ? text.serviceUserMissing : null),
    },
    ...(found && { reload: async () => mapVersion(await readApplication(found.value.id), toValues) }),
    save: async (values, etag, key) => {
      const call = found ? changeApplication(found.value.id, toChanges(values, initial), etag) : createApplication(toNew(values), key);
      const saved = await explained(call);
      notifications.show({ message: found ? text.saved : text.created });
      onSaved(saved.value);
      return mapVersion(saved, toValues);
    },
  });
  const { name, clientId, type, redirectUris, postLogoutRedirectUris, grantTypes, confidential, requirePkce, serviceUserId } = text;
  const labels = { name, clientId, type, redirectUris, postLogoutRedirectUris, grantTypes, confidential, requirePkce, serviceUserId };
  const changesSecret = found && form.values.confidential !== found.value.confidential;
  const isOperator = adminLevel >= OPERATOR;
  return (
    <form onSubmit={submit} noValidate>
      <fieldset className="bare" disabled={isDisabled}>
        <Stack>
          <FormState
            error={error}
            conflict={conflict}
            labels={{ ...labels, firstParty: text.firstParty, framedConsent: text.framedConsent }}
          />
          <TextInput label={name} description={text.nameHint} required dir="auto" {...form.getInputProps('name')} />
          {!found && <TextInput label={clientId} description={text.clientIdHint} {...form.getInputProps('clientId')} />}
          <NativeSelect label={type} data={TYPES.map((value) => ({ value, label: text.types[value] }))} {...form.getInputProps('type')} />
          <Checkbox.Group label={grantTypes} {...form.getInputProps('grantTypes')}>
            <Stack gap="xs" mt={4}>
              {GRANT_TYPES.map((grant) => (
                <Checkbox key={grant} value={grant} label={text.grants[grant]} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Textarea
            label={redirectUris}
            description={text.redirectUrisHint}
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            {...form.getInputProps('redirectUris')}
          />
          <Textarea
            label={postLogoutRedirectUris}
            description={text.postLogoutHint}
            autosize
            minRows={1}
            maxRows={10}
            spellCheck={false}
            {...form.getInputProps('postLogoutRedirectUris')}
          />
          {form.values.grantTypes.includes('client_credentials') && (
            <PersonSelect
              label={serviceUserId}
              description={text.serviceUserHint}
              required
              disabled={isDisabled}
              {...form.getInputProps('serviceUserId')}
              value={form.values.serviceUserId}
            />
          )}
          <Switch
            label={confidential}
            description={changesSecret ? (form.values.confidential ? text.confidentialOn : text.confidentialOff) : text.confidentialHint}
            {...form.getInputProps('confidential', { type: 'checkbox' })}
          />
          <Switch label={requirePkce} {...form.getInputProps('requirePkce', { type: 'checkbox' })} />
          {isOperator && (
            <>
              <Switch label={text.firstParty} {...form.getInputProps('firstParty', { type: 'checkbox' })} />
              <Switch label={text.framedConsent} {...form.getInputProps('framedConsent', { type: 'checkbox' })} />
            </>
          )}
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
