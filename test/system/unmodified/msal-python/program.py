"""Tokens by MSAL for Python, and the failures that its user meets."""

import base64
import hashlib
import re
import ssl
from os import environ
from pathlib import Path

import msal
import requests

AUTHORITY = environ["HTTPS_AUTH_URL"]
TENANT = environ["TENANT_ID"]
CLIENT = environ["CLIENT_ID"]
API_SCOPE = f"api://{environ['API_APPLICATION_ID']}/.default"


def application(client_id, credential, tenant=TENANT):
    return msal.ConfidentialClientApplication(
        client_id,
        client_credential=credential,
        authority=f"{AUTHORITY}/{tenant}",
        instance_discovery=False,
    )


def obtained(app, scope=API_SCOPE, **options):
    result = app.acquire_token_for_client([scope], **options)
    if "access_token" in result:
        return result["access_token"]
    return re.search(r"AADSTS\d+: [^.]+", result["error_description"]).group()


def call_hi(access_token):
    url = f"{environ['BASE_URL']}/api/v1/hi"
    response = requests.get(url, headers={"authorization": f"Bearer {access_token}"}, timeout=30)
    return f"{response.status_code} {response.text}"


administrator_token = obtained(
    application(environ["ADMINISTRATOR_ID"], environ["ADMINISTRATOR_SECRET"]),
    f"{AUTHORITY}/.default",
)


def graph(method, path, body=None):
    response = requests.request(
        method,
        f"{AUTHORITY}/v1.0/{path}",
        headers={"authorization": f"Bearer {administrator_token}"},
        json=body,
        timeout=30,
    )
    response.raise_for_status()
    return response.json() if response.content else None


print("# A token by secret")
by_secret = application(CLIENT, environ["CLIENT_SECRET"])
print(call_hi(obtained(by_secret)))
print(by_secret.acquire_token_for_client([API_SCOPE])["token_source"])

print("\n# A token by certificate")
this_client = f"applications(appId='{CLIENT}')"
der = ssl.PEM_cert_to_DER_cert(Path("certificate.pem").read_text())
credential = {"private_key": Path("key.pem").read_text(), "public_certificate": Path("certificate.pem").read_text()}
print(obtained(application(CLIENT, credential)))
key = {"type": "AsymmetricX509Cert", "usage": "Verify", "key": base64.b64encode(der).decode()}
graph("PATCH", this_client, {"keyCredentials": [key]})
print(call_hi(obtained(application(CLIENT, credential))))
with_thumbprint = {"private_key": credential["private_key"], "thumbprint": hashlib.sha1(der).hexdigest()}
print(call_hi(obtained(application(CLIENT, with_thumbprint))))

print("\n# Refusals")
print(obtained(application(CLIENT, "wrong")))
print(obtained(application("11111111-2222-4333-8444-555555555555", "wrong")))
print(obtained(application(CLIENT, environ["CLIENT_SECRET"]), "api://unknown/.default"))
try:
    application(CLIENT, "secret", "unknown.example").acquire_token_for_client([API_SCOPE])
except ValueError as error:
    print("ValueError:", str(error).split("\n")[0].split(". ")[0][:120])

print("\n# A secret rotation")
second = graph("POST", f"{this_client}/addPassword", {"passwordCredential": {"displayName": "second"}})
first = next(c for c in graph("GET", this_client)["passwordCredentials"] if c["keyId"] != second["keyId"])
print(call_hi(obtained(application(CLIENT, environ["CLIENT_SECRET"]))))
graph("POST", f"{this_client}/removePassword", {"keyId": first["keyId"]})
print(obtained(application(CLIENT, environ["CLIENT_SECRET"])))
print(call_hi(obtained(application(CLIENT, second["secretText"]))))

print("\n# A withdrawn consent")
assignments = graph("GET", f"servicePrincipals(appId='{CLIENT}')/appRoleAssignments")["value"]
for assignment in assignments:
    graph("DELETE", f"servicePrincipals(appId='{CLIENT}')/appRoleAssignments/{assignment['id']}")
print(call_hi(obtained(application(CLIENT, second["secretText"]))))

print("\n# Agent identities")
BLUEPRINT, AGENT, SIBLING = environ["BLUEPRINT"], environ["AGENT"], environ["SIBLING"]
EXCHANGE_SCOPE = "api://AzureADTokenExchange/.default"


def agent(agent_id, blueprint, fmi_path):
    def assertion():
        return obtained(blueprint, EXCHANGE_SCOPE, fmi_path=fmi_path)

    return application(agent_id, {"client_assertion": assertion})


blueprint = application(BLUEPRINT, environ["BLUEPRINT_SECRET"])
for of in (blueprint, application(BLUEPRINT, credential)):
    app = agent(AGENT, of, AGENT)
    print(call_hi(obtained(app)), "|", app.acquire_token_for_client([API_SCOPE])["token_source"])
exchanged = [blueprint.acquire_token_for_client([EXCHANGE_SCOPE], fmi_path=id) for id in (AGENT, SIBLING)]
print(" ".join(result["token_source"] for result in exchanged))
print(call_hi(obtained(agent(SIBLING, blueprint, SIBLING))))
print(obtained(agent(SIBLING, blueprint, AGENT)))
print(obtained(blueprint, EXCHANGE_SCOPE))
print(obtained(blueprint))
print(call_hi(exchanged[0]["access_token"]))
