import { Alert, List, Stack, Text } from '@mantine/core';
import { type UseFormInput, useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { ProblemError } from '@media-delivery/sdk';
import { useEffect, useRef, useState } from 'react';
import { messages } from '../language';
import { useDraft } from './drafts';
import { useIdempotencyKey } from './idempotency-key';
import { type Input, withLengths } from './input-limits';
import { UNDO_MS } from './notify';
import { Failure } from './page-states';
import { type Conflict, type Fields, isEqual, saveVersion, takeOver, type Version } from './version';

interface Options<Values extends Fields> {
  readonly initial: Version<Values>;
  /** The input of the API whose limits of text the fields with the same names have. */
  readonly input?: Input;
  readonly validate?: UseFormInput<Values>['validate'];
  /**
   * Saves the values, on condition that the version is still the current one, and returns the saved version. A request that creates something sends
   * `idempotencyKey`, which stays the same while the same values are sent again. `read`: the values of the version that is changed.
   */
  readonly save: (values: Values, etag: string, idempotencyKey: string, read: Values) => Promise<Version<Values>>;
  /** Reads the current version, after another person has changed it. */
  readonly reload?: () => Promise<Version<Values>>;
  /** The field that a path of the input belongs to, such as `settings.parameters.crf`; by default the path. */
  readonly fieldOf?: (path: string) => string;
  /** The values without secrets, which are not kept over a sign-in; fields whose names contain "password" or "secret" never are. */
  readonly withoutSecrets?: (values: Values) => Values;
  /** Distinguishes several forms of one page. */
  readonly name?: string;
}

/** The input of a form over a sign-in, and the version that it changes. */
interface Draft<Values> {
  readonly values: Values;
  readonly read: Version<Values>;
}

const isSecret = (field: string): boolean => /password|secret/i.test(field);

function withoutSecretFields<Values extends Fields>(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, isSecret(field) && typeof value === 'string' ? '' : value]),
  ) as Values;
}

/**
 * A form that changes a resource. Errors of fields stand beside the fields. If another person has changed the resource since it was read, their
 * changes are taken over where this person typed nothing, and saving again overwrites the rest; if they changed nothing that the form shows, it is saved
 * again without asking. What was typed stays when saving fails, and when the session ends: it is in the form again after the sign-in.
 */
export function useResourceForm<Values extends Fields>(options: Options<Values>) {
  const { initial, input, validate, save, reload, fieldOf = (path) => path, withoutSecrets = (values) => values, name = '' } = options;
  const strip = (values: Values) => withoutSecrets(withoutSecretFields(values));
  const keep = (): Draft<Values> | undefined =>
    form.isDirty() ? { values: strip(form.getValues()), read: { value: strip(read.current.value), etag: read.current.etag } } : undefined;
  const draft: Draft<Values> | undefined = useDraft(`${location.pathname} ${name}`, keep);
  const kept = draft && isEqual(Object.keys(draft.values), Object.keys(initial.value)) ? draft : undefined;
  const form = useForm<Values>({
    initialValues: kept?.values ?? initial.value,
    ...(validate && { validate }),
    ...(input && withLengths(input)),
  });
  const read = useRef(kept?.read ?? initial);
  const idempotencyKey = useIdempotencyKey();
  const [error, setError] = useState<unknown>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isSaving, setSaving] = useState(false);
  const text = useMessages();

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form is shown again
  useEffect(() => {
    if (!kept) return;
    form.resetDirty(kept.read.value);
    notifications.show({ message: text.restored, autoClose: UNDO_MS });
  }, []);

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
      const saveIf = async (etag: string) => await save(values, etag, idempotencyKey(values), read.current.value);
      const { isSaved, version, before } = await saveVersion({ values, read: read.current, save: saveIf, reload });
      const merged = takeOver(before, version.value, form.getValues()); // what was typed meanwhile stays
      read.current = version;
      form.setValues(merged.values);
      form.resetDirty(version.value);
      setConflict(isSaved ? null : merged.conflict);
    } catch (thrown) {
      showError(thrown);
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
    restored: 'What you had typed is in the form again, except for passwords and secrets.',
  },
  de: {
    title: 'Inzwischen hat jemand anderes das geändert',
    taken: (fields: string) => `Diese Änderungen stehen jetzt im Formular: ${fields}.`,
    kept: (field: string, theirs: string) => `${field}: Ihre Eingabe bleibt. Die andere lautet: ${theirs}`,
    again: 'Sehen Sie das Formular durch und speichern Sie erneut.',
    empty: 'leer',
    restored: 'Ihre Eingaben stehen wieder im Formular, außer Passwörtern und Geheimnissen.',
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
