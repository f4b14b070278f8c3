import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { enumerations } from '@media-delivery/sdk';
import { focusAfterRemoval } from '../elements/focus';
import { TrashIcon } from '../elements/icons';
import type { ConfigurationValues } from './configuration-values';
import { useMessages } from './configurations.messages';

/** The limits of a configuration, a row each. */
export function LimitFields({ form }: { form: UseFormReturnType<ConfigurationValues> }) {
  const text = useMessages();
  const kinds = enumerations.BandwidthRuleDto.type.map((value) => ({ value, label: text.limitKinds[value] }));
  return (
    <>
      {form.values.limits.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity; their values are controlled
        <Group key={index} align="flex-start" data-item>
          <TextInput label={text.range} {...form.getInputProps(`limits.${index}.cidr`)} />
          <NativeSelect label={text.limitKind} data={kinds} {...form.getInputProps(`limits.${index}.type`)} />
          <TextInput label={text.limit} inputMode="numeric" w={120} {...form.getInputProps(`limits.${index}.limit`)} />
          <ActionIcon
            variant="default"
            size="lg"
            mt={24}
            aria-label={text.removeLimit(index + 1)}
            onClick={({ currentTarget }) => {
              focusAfterRemoval(currentTarget);
              form.removeListItem('limits', index);
            }}
          >
            <TrashIcon size={18} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        w="fit-content"
        onClick={() =>
          form.insertListItem('limits', { cidr: '', type: 'parallel', limit: '' } satisfies ConfigurationValues['limits'][number])
        }
      >
        {text.addLimit}
      </Button>
    </>
  );
}
