import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { components } from '@media-delivery/sdk';
import { useMemo } from 'react';
import { useFormats } from '../language';
import { useMessages } from './formats.messages';
import { controlOf } from './parameter-control';

interface Props {
  readonly parameter: components['schemas']['AllowedParameterResponse'];
  /** The value of the blueprint, if it has one. */
  readonly preset: unknown;
  readonly value?: string;
  readonly onChange: (value: string) => void;
  readonly error?: React.ReactNode;
}

/** One parameter that a blueprint allows; empty: as in the blueprint. */
export function ParameterField({ parameter: { command, regex }, preset, value = '', onChange, error }: Props) {
  const text = useMessages();
  const { number } = useFormats();
  const control = useMemo(() => controlOf({ regex }), [regex]);
  const name = text.parameterNames[command];
  const label = name ? `${name} (${command})` : command;
  const fallback = preset === undefined ? text.unset : text.byDefault(String(preset));
  if (control.kind === 'switch') {
    return (
      <Checkbox
        label={label}
        mt="lg"
        checked={value === 'true'}
        error={error}
        onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
      />
    );
  }
  if (control.kind === 'choice') {
    const data = [{ value: '', label: fallback }, ...control.values.map((one) => ({ value: one, label: one }))];
    return <NativeSelect label={label} value={value} data={data} error={error} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return (
    <TextInput
      label={label}
      description={control.kind === 'number' ? text.range(number(control.min), number(control.max)) : text.pattern(regex)}
      placeholder={fallback}
      value={value}
      error={error}
      inputMode={control.kind === 'number' ? 'numeric' : 'text'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
