import { Alert, List, Stack, Text } from '@mantine/core';
import { type UseFormInput, useForm } from '@mantine/form';
import { ProblemError } from '@media-delivery/sdk';
import { useRef, useState } from 'react';
import { messages } from '../language';
import { Failure } from './page-states';

/** A resource as it was read, with the ETag that a change has to name in `If-Match`. */
export interface Version<Value> {
  readonly value: Value;
  readonly etag: string;
}

export const versionOf = <Value,>({ data, response }: { data: Value; response: Response }): Version<Value> => ({
  value: data,
  etag: response.headers.get('etag') ?? '',
});

type Fields = Record<string, unknown>;

interface Options<Values extends Fields> {
  /** Null: the resource does not exist yet. */
  readonly initial: Version<Values>;
  readonly validate?: UseFormInput<Values>['validate'];
  /** Saves the values, on condition that the version is still the current one, and returns the saved version. */
  readonly save: (values: Values, etag: string) => Promise<Version<Values>>;
  /** Reads the current version, after another person has changed it. */
  readonly reload?: () => Promise<Version<Values>>;
  /** The field that a path of the input belongs to, such as `settings.parameters.crf`; by default the path. */
  readonly fieldOf?: (path: string) => string;
}

/** What another person has changed in the meantime: names of fields whose value was taken over, and of those where this person's input is kept. */
interface Conflict {
  readonly taken: readonly string[];
  readonly kept: readonly { readonly field: string; readonly theirs: unknown }[];
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * A form that changes a resource. Errors of fields stand beside the fields. If another person has changed the resource since it was read, their
 * changes are taken over where this person typed nothing, and saving again overwrites the rest: nothing typed is lost.
 */
export function useResourceForm<Values extends Fields>({ initial, validate, save, reload, fieldOf = (path) => path }: Options<Values>) {
  const form = useForm<Values>({ initialValues: initial.value, ...(validate ? { validate } : {}) });
  const read = useRef(initial);
  const [error, setError] = useState<unknown>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isSaving, setSaving] = useState(false);

  const takeOver = async (typed: Values, readAgain: () => Promise<Version<Values>>) => {
    const newer = await readAgain();
    const changed = Object.keys(newer.value).filter((field) => !isEqual(newer.value[field], read.current.value[field]));
    const untouched = changed.filter((field) => isEqual(typed[field], read.current.value[field]));
    const kept = changed.filter((field) => !untouched.includes(field)).map((field) => ({ field, theirs: newer.value[field] }));
    form.setValues({ ...typed, ...Object.fromEntries(untouched.map((field) => [field, newer.value[field]])) });
    form.resetDirty(newer.value);
    read.current = newer;
    setConflict({ taken: untouched, kept });
  };

  const showError = (thrown: unknown) => {
    const problems = thrown instanceof ProblemError ? thrown.errors : [];
    const ofFields = problems.map(({ path, message }) => [fieldOf(path), message] as const);
    form.setErrors(Object.fromEntries(ofFields));
    const isShown = ofFields.length > 0 && ofFields.every(([field]) => (field.split('.')[0] ?? '') in read.current.value);
    setError(isShown ? null : thrown);
  };

  const submit = form.onSubmit(async (values) => {
    setSaving(true);
    setError(null);
    try {
      read.current = await save(values, read.current.etag);
      const later = Object.entries(form.getValues()).filter(([field, value]) => !isEqual(value, values[field]));
      form.setValues({ ...read.current.value, ...(Object.fromEntries(later) as Partial<Values>) }); // what was typed while it was saved stays
      form.resetDirty(read.current.value);
      setConflict(null);
    } catch (thrown) {
      if (reload && thrown instanceof ProblemError && thrown.status === 412) await takeOver(values, reload).catch(setError);
      else showError(thrown);
    } finally {
      setSaving(false);
    }
  });
  return { form, submit, isSaving, error, conflict };
}

const useMessages = messages({
  en: {
    title: 'Another person has changed this in the meantime',
    taken: (fields: string) => `Their changes are in the form now: ${fields}.`,
    kept: (field: string, theirs: string) => `${field}: your input is kept. Theirs is: ${theirs}`,
    again: 'Look through the form and save again.',
    empty: 'empty',
  },
  de: {
    title: 'Inzwischen hat jemand anderes das geändert',
    taken: (fields: string) => `Diese Änderungen stehen jetzt im Formular: ${fields}.`,
    kept: (field: string, theirs: string) => `${field}: Ihre Eingabe bleibt. Die andere lautet: ${theirs}`,
    again: 'Sehen Sie das Formular durch und speichern Sie erneut.',
    empty: 'leer',
  },
});

interface FormStateProps {
  readonly error: unknown;
  readonly conflict: Conflict | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** What is wrong with a form as a whole: an error that concerns no field, or a change by another person. */
export function FormState({ error, conflict, labels }: FormStateProps) {
  const text = useMessages();
  const label = (field: string) => labels[field] ?? field;
  const show = (value: unknown) => (value === '' || value == null ? text.empty : typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <>
      {error !== null && <Failure error={error} />}
      {conflict && (
        <Alert title={text.title} role="alert">
          <Stack gap="xs">
            {conflict.taken.length > 0 && <Text size="sm">{text.taken(conflict.taken.map(label).join(', '))}</Text>}
            {conflict.kept.length > 0 && (
              <List size="sm">
                {conflict.kept.map(({ field, theirs }) => (
                  <List.Item key={field} className="foreign">
                    {text.kept(label(field), show(theirs).slice(0, 500))}
                  </List.Item>
                ))}
              </List>
            )}
            <Text size="sm">{text.again}</Text>
          </Stack>
        </Alert>
      )}
    </>
  );
}
