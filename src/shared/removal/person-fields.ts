import type { Members } from './rewrite-json.js';

/** The names of a person as given; each may be empty. */
export interface PersonName {
  readonly firstname: string;
  readonly lastname: string;
}

/** What identifies a person in texts and documents. */
export interface Person {
  /** E-mail address (canonicalEmail), compared case-insensitively. */
  readonly email: string;
  readonly names: readonly PersonName[];
  /** The user and the senders of the person. */
  readonly userIds: readonly number[];
}

/** The replacement for a name. */
export const ERASED_NAME = '[erased]';

/** The members of an object about a person that contain a name, as in `:user` of instructions and in claims of OpenID Connect Core section 5.1. */
const NAME_MEMBERS: ReadonlySet<string> = new Set(['firstname', 'lastname', 'firstName', 'lastName', 'given_name', 'family_name']);

/** Parameters of e-mails (templates of subscriptions) that contain first and last name. */
const FULL_NAME_MEMBERS: ReadonlySet<string> = new Set(['senderName', 'requesterName']);

/** How a document relates to the person. */
export interface Relation {
  /** It belongs to the person. */
  readonly isOwn: boolean;
  /** It contains the address of the person. */
  readonly isMentioned: boolean;
}

/** Finds the fields of JSON objects that contain names of a person, also a first or last name alone. PersonPattern finds full names in other texts. */
export class PersonFields {
  private readonly userIds: readonly number[];
  private readonly named: ReadonlySet<string>;

  /** `isAddress`: whether a text is the address of the person, or its replacement. */
  constructor(
    { names, userIds }: Person,
    private readonly isAddress: (text: string) => boolean,
  ) {
    this.userIds = userIds;
    this.named = new Set(names.map(fullName).filter(Boolean));
  }

  /** Returns the replacements for names in one object, by member name. */
  replacementsIn(members: Members, relation: Relation): ReadonlyMap<string, string> {
    const isPerson = this.isPerson(members);
    const isName = (name: string, value: string): boolean => {
      if (NAME_MEMBERS.has(name)) return isPerson;
      return FULL_NAME_MEMBERS.has(name) && (relation.isOwn || relation.isMentioned) && this.named.has(normal(value));
    };
    const found = [...members].filter(
      ([name, value]) => typeof value === 'string' && value !== '' && value !== ERASED_NAME && isName(name, value),
    );
    return new Map(found.map(([name]) => [name, ERASED_NAME]));
  }

  /** Whether an object is about the person: by its address or, without an address, by its id. */
  private isPerson(members: Members): boolean {
    const email = members.get('email');
    if (typeof email === 'string') return this.isAddress(email);
    const id = members.get('id');
    return typeof id === 'number' && this.userIds.includes(id);
  }
}

const fullName = ({ firstname, lastname }: PersonName): string => normal(`${firstname} ${lastname}`);

const normal = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
