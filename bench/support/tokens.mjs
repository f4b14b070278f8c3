export async function clientCredentials(url) {
  const response = await fetch(`${url}/v4/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' }),
  });
  const { access_token } = await response.json();
  if (!access_token) throw new Error(`No token: ${response.status}`);
  return access_token;
}
