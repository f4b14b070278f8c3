// Signs in as a browser would, and returns the cookies of the session.
const decode = (text) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');

export async function signIn(service, query) {
  const jar = new Map();
  const open = async (url, init = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(url, service.url), { redirect: 'manual', ...init, headers: { cookie, ...init.headers } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value) jar.set(name, value);
    }
    return response;
  };
  const follow = async (response) => {
    let current = response;
    while (current.headers.get('location')?.startsWith(service.url) || current.headers.get('location')?.startsWith('/'))
      current = await open(current.headers.get('location'));
    return current;
  };
  let page = await follow(await open(`/v4/authorize?${new URLSearchParams(query)}`));
  for (let forms = 0; forms < 2 && page.status === 200; forms += 1) {
    const html = await page.text();
    const [, action, body] = /<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
    const [, csrf] = /name="csrf" value="([^"]+)"/.exec(body);
    const form = new URLSearchParams({ csrf: decode(csrf), ...service.login });
    page = await follow(await open(decode(action), { method: 'POST', body: form, headers: { origin: service.url } }));
  }
  if (!page.headers.get('location')?.includes('code=')) throw new Error(`No code: ${page.status} ${page.headers.get('location')}`);
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}
