import { ActionIcon, Button, Collapse, Group, Paper, Stack, TagsInput, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { mediaTypeOf } from '@media-delivery/sdk/uploader';
import { useState } from 'react';
import { CloseIcon } from '../elements/icons';
import { lengthOf } from '../elements/input-limits';
import { useFormats } from '../language';
import { FormatChoice } from '../library/format-choice';
import { LicenseFields } from '../library/license-fields';
import { useMessages } from './upload.messages';
import { NO_PLAN, type UploadPlan } from './upload-record';
import { useUploads } from './uploads';

/** More files are counted only. */
const MAX_SHOWN = 50;

/** The chosen files, what is to be done with all of them, and the button that starts. */
export function StagedFiles() {
  const text = useMessages();
  const { size, number } = useFormats();
  const { staged, unstage, add } = useUploads();
  const [plan, setPlan] = useState<UploadPlan>(NO_PLAN);
  const [hasLicense, { toggle }] = useDisclosure();
  const types = [...new Set(staged.map(({ name, type }) => mediaTypeOf(name, type)))];
  return (
    <Paper withBorder p="sm">
      <Stack gap="sm">
        <ul className="staged-files" aria-label={text.chosen}>
          {staged.slice(0, MAX_SHOWN).map((file, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: files may have the same name
            <li key={n}>
              <Group wrap="nowrap" gap="xs" justify="space-between">
                <Text size="sm" className="foreign" lineClamp={2} dir="auto">
                  {file.name}
                </Text>
                <Group wrap="nowrap" gap={4}>
                  <Text size="xs" className="unbroken">
                    {size(file.size)}
                  </Text>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    onClick={() => unstage(file)}
                    aria-label={text.leaveOut(file.name.slice(0, 200))}
                  >
                    <CloseIcon size={14} />
                  </ActionIcon>
                </Group>
              </Group>
            </li>
          ))}
        </ul>
        {staged.length > MAX_SHOWN && <Text size="sm">{text.more(number(staged.length - MAX_SHOWN))}</Text>}
        <TagsInput
          label={text.tags}
          value={[...plan.tags]}
          onChange={(tags) => setPlan({ ...plan, tags })}
          {...lengthOf('MediaContainerChangesDto', 'tags[]')}
          acceptValueOnBlur
          clearable
        />
        <FormatChoice value={plan.formatIds} onChange={(formatIds) => setPlan({ ...plan, formatIds })} types={types} />
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={toggle} aria-expanded={hasLicense}>
          {text.license}
        </Button>
        <Collapse expanded={hasLicense}>
          <LicenseFields value={plan.license} onChange={(license) => setPlan({ ...plan, license })} />
        </Collapse>
        <Button onClick={() => add(staged, plan)}>{text.start(number(staged.length), staged.length)}</Button>
      </Stack>
    </Paper>
  );
}
