import type { Language } from '../language';
import type { Rules } from './rules';

/** The parts of sentences in a language; each way in completes "A viewer gets in who …". */
interface Words {
  readonly everyone: string;
  readonly signedIn: string;
  readonly keys: (keys: string) => string;
  readonly noKey: string;
  readonly client: (client: string) => string;
  readonly addresses: (ranges: string) => string;
  readonly noAddress: string;
  readonly oneOf: (ways: string) => string;
  readonly both: (address: string, ways: string) => string;
  readonly pages: (hosts: string) => string;
  readonly noPage: string;
  readonly host: (host: string) => string;
  readonly parallel: (range: string, plays: string) => string;
  readonly bandwidth: (range: string, kbit: string) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    everyone: 'Everyone who has the link gets in.',
    signedIn: 'is signed in as a user of your organisation',
    keys: (keys) => `has a token of the access key ${keys}`,
    noKey: 'has a token of an allowed access key (none is allowed yet)',
    client: (client) => `has an access token of the application ${client}`,
    addresses: (ranges) => `has an address in ${ranges}`,
    noAddress: 'has an allowed address (the list is empty)',
    oneOf: (ways) => `A viewer gets in who ${ways}.`,
    both: (address, ways) => `A viewer gets in who ${address}, and who in addition ${ways}.`,
    pages: (hosts) => `The player is shown only in pages of ${hosts}.`,
    noPage: 'No page may show the player, because the list of hosts is empty.',
    host: (host) => `Links work only on ${host}.`,
    parallel: (range, plays) => `Viewers from ${range} share ${plays} plays at the same time.`,
    bandwidth: (range, kbit) => `Viewers from ${range} get at most ${kbit} kbit/s.`,
  },
  de: {
    everyone: 'Alle, die den Link haben, kommen hinein.',
    signedIn: 'als Benutzer Ihrer Organisation angemeldet ist',
    keys: (keys) => `ein Token des Zugriffsschlüssels ${keys} hat`,
    noKey: 'ein Token eines erlaubten Zugriffsschlüssels hat (noch ist keiner erlaubt)',
    client: (client) => `ein Zugriffstoken der Anwendung ${client} hat`,
    addresses: (ranges) => `eine Adresse aus ${ranges} hat`,
    noAddress: 'eine erlaubte Adresse hat (die Liste ist leer)',
    oneOf: (ways) => `Hinein kommt, wer ${ways}.`,
    both: (address, ways) => `Hinein kommt, wer ${address} und außerdem ${ways}.`,
    pages: (hosts) => `Der Player erscheint nur in Seiten von ${hosts}.`,
    noPage: 'Keine Seite darf den Player zeigen, denn die Liste der Hosts ist leer.',
    host: (host) => `Links funktionieren nur auf ${host}.`,
    parallel: (range, plays) => `Wer aus ${range} kommt, teilt sich ${plays} gleichzeitige Wiedergaben.`,
    bandwidth: (range, kbit) => `Wer aus ${range} kommt, erhält höchstens ${kbit} kbit/s.`,
  },
};

/** A longer list is not read in a sentence; the form shows all of it. */
const NAMED = 5;

/** Says in sentences who gets in. */
export function ruleSentences(rules: Rules, language: Language): readonly string[] {
  const words = WORDS[language];
  const number = new Intl.NumberFormat(language);
  const either = (items: readonly string[]) => {
    const more = items.length - NAMED;
    return new Intl.ListFormat(language, { type: 'disjunction' }).format(
      more > 0 ? [...items.slice(0, NAMED), `+${number.format(more)}`] : items,
    );
  };
  const { accessKeys, clientId, addresses, pages } = rules;
  const authentications = [
    ...(rules.signedIn ? [words.signedIn] : []),
    ...(accessKeys ? [accessKeys.length > 0 ? words.keys(either(accessKeys)) : words.noKey] : []),
    ...(clientId === null ? [] : [words.client(clientId)]),
  ];
  const address = addresses && (addresses.length > 0 ? words.addresses(either(addresses)) : words.noAddress);
  const access = (): string => {
    if (address && authentications.length > 0 && rules.isBoth) return words.both(address, either(authentications));
    const ways = [...authentications, ...(address ? [address] : [])];
    return ways.length > 0 ? words.oneOf(either(ways)) : words.everyone;
  };
  return [
    access(),
    ...(pages ? [pages.length > 0 ? words.pages(either(pages)) : words.noPage] : []),
    ...(rules.host ? [words.host(rules.host)] : []),
    ...rules.limits.map(({ cidr, type, limit }) => words[type](cidr, number.format(limit))),
  ];
}
