import { ProblemError } from '@media-delivery/sdk';
import { useMessages } from './team.messages';

/** The field that an error without a list of problems concerns. */
const FIELDS: Readonly<Record<string, string>> = {
  email_taken: 'email',
  last_administrator: 'adminLevel',
  sso_identifier_taken: 'ssoIdentifier',
  client_id_taken: 'clientId',
  customer_name_taken: 'name',
};

/** Waits for a call, and explains its refusals in the language of the person; those that concern a field of a form name the field. */
export function useRefusals() {
  const { refusals } = useMessages();
  return async <T>(call: Promise<T>): Promise<T> =>
    await call.catch((error: unknown) => {
      const detail = error instanceof ProblemError ? (refusals as Readonly<Record<string, string>>)[error.code] : undefined;
      if (!(error instanceof ProblemError) || detail === undefined) throw error;
      const { status, code, errors } = error;
      const path = FIELDS[code];
      throw new ProblemError({ status, code, detail, errors: path ? [{ path, code, message: detail }] : errors }, { cause: error });
    });
}
