import type { MediaType } from '../elements/media-types';
import type { Dropsite, DropsiteFields } from './queries';

/** What the form of a dropsite contains. Empty fields are not set. */
export interface DropsiteValues extends Record<string, unknown> {
  readonly name: string;
  readonly description: string;
  /** In the time zone of the person: `2030-01-31T18:00`. */
  readonly expiresAt: string;
  /** A new password; the stored one is never known. */
  readonly password: string;
  readonly removePassword: boolean;
  readonly maxItemsPerDay: string;
  /** Megabytes. */
  readonly maxSizePerDay: string;
  readonly allowedTypes: MediaType[];
  readonly allowAnonymous: boolean;
  readonly publicAreaIds: string[];
}

const MEGABYTE = 1_000_000;

/** The form of a dropsite, or of a new one. */
export function toValues(dropsite: Dropsite | null): DropsiteValues {
  return {
    ...{ name: dropsite?.name ?? '', description: dropsite?.description ?? '' },
    expiresAt: dropsite?.expiresAt ? toLocalTime(new Date(dropsite.expiresAt)) : '',
    ...{ password: '', removePassword: false, allowAnonymous: dropsite?.allowAnonymous ?? true },
    maxItemsPerDay: String(dropsite?.maxItemsPerDay ?? ''),
    maxSizePerDay: dropsite?.maxBytesPerDay == null ? '' : String(dropsite.maxBytesPerDay / MEGABYTE),
    allowedTypes: [...((dropsite?.allowedTypes ?? []) as MediaType[])],
    publicAreaIds: dropsite?.publicAreaIds.map(String) ?? [],
  };
}

/** What is sent to create or change a dropsite; without a new password the stored one stays. */
export function toFields(values: DropsiteValues, initial: DropsiteValues | null): DropsiteFields {
  const { name, description, allowedTypes, allowAnonymous, password, removePassword } = values;
  const limit = (text: string, factor: number) => (text === '' ? null : Math.round(Number(text) * factor));
  return {
    ...{ name, description, allowedTypes, allowAnonymous },
    maxItemsPerDay: limit(values.maxItemsPerDay, 1),
    maxBytesPerDay: limit(values.maxSizePerDay, MEGABYTE),
    publicAreaIds: values.publicAreaIds.map(Number),
    ...(values.expiresAt !== initial?.expiresAt && { expiresAt: values.expiresAt ? new Date(values.expiresAt).toISOString() : null }),
    ...(password === '' ? removePassword && { password: null } : { password }),
  };
}

/** As an input of type `datetime-local` has it, to the minute. */
function toLocalTime(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The field of the form that a path of the input belongs to. */
export const fieldOf = (path: string): string =>
  path === 'maxBytesPerDay' ? 'maxSizePerDay' : path.replace(/^(allowedTypes|publicAreaIds)\..*/, '$1');
