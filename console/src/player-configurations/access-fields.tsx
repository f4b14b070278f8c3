import { Autocomplete, Checkbox, NativeSelect, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ADMINISTRATOR } from '../shell/levels';
import { useMe } from '../shell/me';
import type { ConfigurationValues } from './configuration-values';
import { useMessages } from './configurations.messages';
import { useCredentialNames } from './queries';

/** What separates entries that are pasted together. */
const SEPARATORS = [',', ' ', '\n'];

/** The names of applications and access keys that the person may see. */
export function useCredentialSuggestions() {
  const { adminLevel } = useMe();
  const { data } = useCredentialNames(adminLevel >= ADMINISTRATOR);
  return { clientIds: [...new Set(data?.clientIds)], accessKeys: [...new Set(data?.accessKeys)] };
}

/** Who gets in: each rule is off while its field is empty. */
export function AccessFields({ form }: { form: UseFormReturnType<ConfigurationValues> }) {
  const text = useMessages();
  const { clientIds, accessKeys } = useCredentialSuggestions();
  const isBoth = form.getInputProps('isBoth');
  return (
    <>
      <Checkbox label={text.signedIn} {...form.getInputProps('signedIn', { type: 'checkbox' })} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TagsInput
          label={text.addresses}
          description={text.addressesHint}
          splitChars={SEPARATORS}
          acceptValueOnBlur
          {...form.getInputProps('addresses')}
        />
        <NativeSelect
          label={text.isBoth}
          data={(['false', 'true'] as const).map((value) => ({ value, label: text.isBothOptions[value] }))}
          value={String(isBoth.value)}
          error={isBoth.error}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('isBoth', value === 'true')}
        />
        <TagsInput
          label={text.accessKeys}
          description={text.accessKeysHint}
          data={accessKeys}
          splitChars={SEPARATORS}
          acceptValueOnBlur
          {...form.getInputProps('accessKeys')}
        />
        <Autocomplete label={text.clientId} data={clientIds} {...form.getInputProps('clientId')} />
        <TagsInput
          label={text.pages}
          description={text.pagesHint}
          splitChars={SEPARATORS}
          acceptValueOnBlur
          {...form.getInputProps('pages')}
        />
        <TextInput label={text.host} description={text.hostHint} {...form.getInputProps('host')} />
      </SimpleGrid>
    </>
  );
}
