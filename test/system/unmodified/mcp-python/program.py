"""Tools of an MCP server by the SDK for Python, and the failures that its user meets."""

import asyncio
import re
import sys
from os import environ
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.streamable_http import streamable_http_client

CLIENT = environ["CLIENT_ID"]
ISSUER = f"{environ['AUTH_URL']}/{environ['TENANT_ID']}/v2.0"


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def provider(credential):
    common = {"server_url": environ["MCP_URL"], "storage": Storage(), "client_id": CLIENT, "issuer": ISSUER}
    if credential == "secret":
        return ClientCredentialsOAuthProvider(**common, client_secret=environ["CLIENT_SECRET"])
    key = Path("key.pem").read_text()
    jwt = SignedJWTParameters(issuer=CLIENT, subject=CLIENT, signing_key=key)
    return PrivateKeyJWTOAuthProvider(**common, assertion_provider=jwt.create_assertion_provider())


def reason(error):
    """The innermost reason of a failure."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    found = re.search(r"AADSTS\d+: [^.]+|HTTP \d+|\b403\b[^,]*", str(error))
    return f"{type(error).__name__}: {found.group() if found else error}"


async def call(client, tool):
    try:
        return (await client.call_tool(tool)).content[0].text
    except Exception as error:
        return reason(error)


async def main(credential):
    try:
        async with httpx2.AsyncClient(auth=provider(credential), timeout=30) as http:
            async with Client(streamable_http_client(environ["MCP_URL"], http_client=http)) as client:
                print(" ".join(tool.name for tool in (await client.list_tools()).tools))
                print("hi:", await call(client, "hi"))
                print("hello:", await call(client, "hello"))
    except Exception as error:
        print(reason(error))


asyncio.run(main(sys.argv[1]))
