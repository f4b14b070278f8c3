"""An OAuth client in another language: Authlib, as a Python application would use it. Prints one JSON document of what it saw."""

import html
import json
import re
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt

issuer, client_id, client_secret, redirect_uri, email, password = sys.argv[1:]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration").json()
client = OAuth2Session(
    client_id,
    client_secret,
    scope="openid email offline_access api",
    redirect_uri=redirect_uri,
    code_challenge_method="S256",
    token_endpoint_auth_method="client_secret_basic",
)


def sign_in(url):
    """What the person does in the browser: login, then consent, until the redirect to the client."""
    browser = requests.Session()
    browser.headers["origin"] = issuer
    answer = browser.get(url, allow_redirects=False)
    fields = {"email": email, "password": password}
    while True:
        location = answer.headers.get("location")
        if location and location.startswith(redirect_uri):
            return location
        if location:
            answer = browser.get(requests.compat.urljoin(issuer, location), allow_redirects=False)
            continue
        action, body = re.search(r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', answer.text, re.S).groups()
        csrf = html.unescape(re.search(r'name="csrf" value="([^"]+)"', body).group(1))
        form = {"csrf": csrf, **(fields if 'name="password"' in body else {})}
        answer = browser.post(requests.compat.urljoin(issuer, html.unescape(action)), data=form, allow_redirects=False)


verifier = "a-verifier-of-at-least-forty-three-characters-0123456789"
url, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
redirect = sign_in(url)
token = dict(client.fetch_token(metadata["token_endpoint"], authorization_response=redirect, state=state, code_verifier=verifier))

keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"]).json())
claims = jwt.decode(token["access_token"], keys, claims_options={"iss": {"value": issuer}, "aud": {"value": issuer}})
claims.validate()
identity = jwt.decode(token["id_token"], keys, claims_options={"iss": {"value": issuer}, "aud": {"value": client_id}})
identity.validate()

refreshed = dict(client.refresh_token(metadata["token_endpoint"], token["refresh_token"]))
before = client.introspect_token(metadata["introspection_endpoint"], refreshed["access_token"], "access_token").json()
apps = client.get(f"{issuer}/v4/apps").json()
revoked = client.revoke_token(metadata["revocation_endpoint"], refreshed["refresh_token"], "refresh_token").status_code
after = client.introspect_token(metadata["introspection_endpoint"], refreshed["access_token"], "access_token").json()

print(
    json.dumps(
        {
            "sub": claims["sub"],
            "email": identity["email"],
            "rotated": refreshed["refresh_token"] != token["refresh_token"],
            "before": before,
            "apps": [app["client_id"] for app in apps],
            "revoked": revoked,
            "after": after,
        }
    )
)
