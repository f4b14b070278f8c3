import type { Version } from '../elements/version';
import { dayOf, keepTime, type LicenseValues, toLicense, toLicenseValues } from '../library/license';
import type { Container } from '../library/queries';
import type { MediumChanges } from './queries';

/** The values of the form that describes a medium; dates as their fields show them. */
export type MediumValues = {
  name: string;
  description: string;
  tags: string[];
  license: LicenseValues;
  start: string;
  end: string;
  metadata: { title: string; content: string; language: string }[];
};

export const toMediumValues = ({ value, etag }: Version<Container>): Version<MediumValues> => ({
  etag,
  value: {
    name: value.name,
    description: value.description,
    tags: [...value.tags],
    license: toLicenseValues(value.license),
    start: dayOf(value.start),
    end: dayOf(value.end),
    metadata: value.metadata.map(({ title, content, language }) => ({ title, content, language: language ?? '' })),
  },
});

/** The change that these values are. Days that are still those of `before` keep their time of day. */
export const toMediumChanges = (values: MediumValues, before: Container): MediumChanges => ({
  name: values.name,
  description: values.description,
  tags: values.tags,
  license: toLicense(values.license, before.license),
  start: keepTime(values.start, before.start),
  end: keepTime(values.end, before.end),
  metadata: values.metadata.map(({ language, ...entry }) => (language ? { ...entry, language } : entry)),
});
