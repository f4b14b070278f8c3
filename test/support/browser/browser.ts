/** The fields of a form; a list posts a field several times, as boxes with one name do. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A browser without a screen: keeps cookies, shows pages, submits their forms. Redirects are followed on request only. */
export class TestBrowser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  constructor(
    readonly origin: string,
    private readonly headers: Record<string, string> = {},
    /** Where the service of this origin listens, when several processes share one PUBLIC_URL. */
    private readonly address = origin,
  ) {}

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url, this.origin);
    // Put together as text: a path such as //evil.test/ must not be read as the name of a host.
    const reached = target.origin === this.origin ? `${new URL(this.address).origin}${target.pathname}${target.search}` : target;
    const response = await fetch(reached, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...this.headers,
        cookie: this.cookieHeader(target.pathname),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) this.store(line, target.pathname);
    return response;
  }

  /** Follows redirects until a page is shown or another origin is asked for; answers that response and where it is. */
  async follow(url: string, init?: RequestInit): Promise<{ response: Response; url: URL }> {
    let target = new URL(url, this.origin);
    let response = await this.open(target.href, init);
    for (let hops = 0; hops < 12; hops += 1) {
      const location = response.headers.get('location');
      if (!location) break;
      target = new URL(location, target);
      if (target.origin !== this.origin) break;
      response = await this.open(target.href);
    }
    return { response, url: target };
  }

  /** Submits the form of a page whose action ends with `action`, with its hidden fields and the given ones. */
  async submit(html: string, action: string, fields?: Fields): Promise<{ response: Response; url: URL }> {
    return await this.follow(...this.submission(html, action, fields));
  }

  /** Submits a form without following a redirect. */
  async submitOnly(html: string, action: string, fields?: Fields): Promise<Response> {
    return await this.open(...this.submission(html, action, fields));
  }

  private submission(html: string, action: string, fields: Fields = {}): [url: string, init: RequestInit] {
    const form = findForm(html, action);
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries({ ...form.hidden, ...fields }))
      for (const value of [values].flat()) body.append(name, value);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin };
    return [form.action, { method: 'POST', body: body.toString(), headers }];
  }

  /** Is signed in where another browser is. */
  takeCookies(other: TestBrowser): void {
    for (const [name, cookie] of other.cookies) this.cookies.set(name, cookie);
  }

  cookieNames(): string[] {
    return [...this.cookies.keys()];
  }

  cookieHeader(path: string): string {
    const matching = [...this.cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    return matching.map(([key, { value }]) => `${key.split(' ')[0]}=${value}`).join('; ');
  }

  private store(line: string, requestPath: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? requestPath;
    if (value === '' || attributes.some((one) => /^expires=thu, 01 jan 1970/i.test(one))) this.cookies.delete(`${name} ${path}`);
    else this.cookies.set(`${name} ${path}`, { value, path });
  }
}

/** The values of the boxes with this name that are ticked when a page is shown. */
export const tickedOn = (html: string, name: string): string[] =>
  [...html.matchAll(/<input\b[^>]*type="checkbox"[^>]*>/g)].flatMap(([box]) =>
    box.includes(`name="${name}"`) && / checked\b/.test(box) ? [decodeEntities(/value="([^"]*)"/.exec(box)?.[1] ?? '')] : [],
  );

function findForm(html: string, action: string): { action: string; hidden: Record<string, string> } {
  for (const [, attributes = '', body = ''] of html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)) {
    const target = decodeEntities(/action="([^"]*)"/.exec(attributes)?.[1] ?? '');
    if (!target.endsWith(action)) continue;
    const hidden: Record<string, string> = {};
    for (const [input] of body.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)) {
      const name = /name="([^"]*)"/.exec(input)?.[1];
      if (name) hidden[name] = decodeEntities(/value="([^"]*)"/.exec(input)?.[1] ?? '');
    }
    return { action: target, hidden };
  }
  throw new Error(`The page has no form for ${action}:\n${html.slice(0, 2_000)}`);
}

const decodeEntities = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
