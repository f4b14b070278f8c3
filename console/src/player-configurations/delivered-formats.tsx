import { ActionIcon, Checkbox, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { focusAfterRemoval } from '../elements/focus';
import { CloseIcon, DownIcon, UpIcon } from '../elements/icons';
import type { MediaType } from '../elements/media-types';
import { useFormatList } from '../formats/queries';
import type { ConfigurationValues } from './configuration-values';
import { useMessages } from './configurations.messages';

type Delivered = ConfigurationValues['formats'];

interface Props {
  readonly type: MediaType;
  readonly value?: Delivered;
  readonly onChange: (formats: Delivered) => void;
  readonly error?: ReactNode;
}

/** The formats that a configuration delivers, in their order, and which of them may be downloaded. */
export function DeliveredFormats({ type, value = [], onChange, error }: Props) {
  const text = useMessages();
  const { data: known } = useFormatList();
  const nameOf = (id: number) => known?.find((format) => format.id === id)?.name ?? text.formatOf(id);
  const chosen = new Set(value.map(({ formatId }) => formatId));
  const others = known?.filter(({ id, flag, settings }) => flag === 0 && settings.mediaTypes?.includes(type) && !chosen.has(id)) ?? [];
  const change = (index: number, changes: Partial<Delivered[number]>) =>
    onChange(value.map((one, at) => (at === index ? { ...one, ...changes } : one)));
  const move = (from: number, to: number) => {
    const moved = value.filter((_, at) => at !== from);
    const [one] = value.slice(from, from + 1);
    if (one) onChange([...moved.slice(0, to), one, ...moved.slice(to)]);
  };
  return (
    <Stack>
      <div>
        <Title order={3} size="h4">
          {text.formats}
        </Title>
        <Text size="sm">{text.formatsHint}</Text>
      </div>
      {error && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      {value.length === 0 && <Text>{text.noFormats}</Text>}
      <Stack component="ol" gap="xs" m={0} p={0}>
        {value.map(({ formatId, downloadable }, index) => (
          <Group component="li" data-item key={formatId} gap="xs" wrap="nowrap">
            <Text flex={1} className="foreign" dir="auto">
              {nameOf(formatId)}
            </Text>
            <Checkbox
              label={text.downloadable}
              aria-label={text.mayDownload(nameOf(formatId))}
              checked={downloadable}
              onChange={({ currentTarget: { checked } }) => change(index, { downloadable: checked })}
            />
            <ActionIcon
              variant="default"
              disabled={index === 0}
              aria-label={text.up(nameOf(formatId))}
              onClick={() => move(index, index - 1)}
            >
              <UpIcon size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              disabled={index === value.length - 1}
              aria-label={text.down(nameOf(formatId))}
              onClick={() => move(index, index + 1)}
            >
              <DownIcon size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={text.remove(nameOf(formatId))}
              onClick={({ currentTarget }) => {
                focusAfterRemoval(currentTarget);
                onChange(value.filter((_, at) => at !== index));
              }}
            >
              <CloseIcon size={16} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
      <NativeSelect
        label={text.addFormat}
        value=""
        maw={360}
        data={[{ value: '', label: '' }, ...others.map(({ id, name }) => ({ value: String(id), label: name }))]}
        onChange={({ currentTarget: { value: id } }) => id && onChange([...value, { formatId: Number(id), downloadable: false }])}
      />
    </Stack>
  );
}
