/** The package has no types of its own. */
declare module 'autocannon' {
  export default function autocannon(options: object): Promise<Readonly<Record<'1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'errors', number>>>;
}
