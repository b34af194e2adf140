"""The six registration steps with the Graph SDK, and the failures that its user meets."""

import asyncio
import base64
import json
import re
import uuid
from os import environ

import requests
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import ClientSecretCredential
from kiota_abstractions.api_error import APIError
from kiota_authentication_azure.azure_identity_authentication_provider import (
    AzureIdentityAuthenticationProvider,
)
from msgraph import GraphRequestAdapter, GraphServiceClient
from msgraph.generated.applications.applications_request_builder import ApplicationsRequestBuilder
from msgraph.generated.applications.item.add_password.add_password_post_request_body import (
    AddPasswordPostRequestBody,
)
from msgraph.generated.applications.item.remove_password.remove_password_post_request_body import (
    RemovePasswordPostRequestBody,
)
from msgraph.generated.models.app_role import AppRole
from msgraph.generated.models.app_role_assignment import AppRoleAssignment
from msgraph.generated.models.application import Application
from msgraph.generated.models.password_credential import PasswordCredential
from msgraph.generated.models.required_resource_access import RequiredResourceAccess
from msgraph.generated.models.resource_access import ResourceAccess
from msgraph.generated.models.service_principal import ServicePrincipal

AUTHORITY = environ["HTTPS_AUTH_URL"]
GREETING_API = environ["API_APPLICATION_ID"]


def credential(client_id, secret):
    return ClientSecretCredential(
        environ["TENANT_ID"],
        client_id,
        secret,
        authority=AUTHORITY,
        disable_instance_discovery=True,
    )


def graph(client_id, secret):
    host = AUTHORITY.removeprefix("https://").split(":")[0]
    provider = AzureIdentityAuthenticationProvider(
        credential(client_id, secret), scopes=[f"{AUTHORITY}/.default"], allowed_hosts=[host]
    )
    adapter = GraphRequestAdapter(provider)
    adapter.base_url = f"{AUTHORITY}/v1.0"
    return GraphServiceClient(request_adapter=adapter)


def token(client_id, secret, api):
    return credential(client_id, secret).get_token(f"api://{api}/.default").token


def roles(access_token):
    payload = access_token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return " ".join(sorted(claims.get("roles", []))) or "no roles"


def call_hi(access_token):
    url = f"{environ['BASE_URL']}/api/v1/hi"
    response = requests.get(url, headers={"authorization": f"Bearer {access_token}"}, timeout=30)
    return f"{response.status_code} {response.text}"


def print_refused(refused_call):
    try:
        refused_call()
    except ClientAuthenticationError as error:
        print(re.search(r"AADSTS\d+: [^.]+", error.message).group())
    else:
        raise AssertionError("expected a refusal")


async def print_refusal(request):
    try:
        await request
    except APIError as error:
        print(error.response_status_code, error.error.code, "|", error.error.message)
    else:
        raise AssertionError("expected a refusal")


async def main():
    print("# Steps 1 and 2: the application of the API, with an app role")
    administrator = graph(environ["ADMINISTRATOR_ID"], environ["ADMINISTRATOR_SECRET"])
    role = AppRole(
        id=uuid.uuid4(),
        allowed_member_types=["Application"],
        display_name="Read orders",
        description="Reads all orders.",
        is_enabled=True,
        value="Orders.Read",
    )
    orders = await administrator.applications.post(
        Application(display_name="python orders", app_roles=[role], tags=["orders"], notes="by the SDK")
    )
    await administrator.applications.by_application_id(orders.id).patch(
        Application(identifier_uris=[f"api://{orders.app_id}"])
    )
    shown = await administrator.applications.by_application_id(orders.id).get()
    print(shown.display_name, shown.tags, shown.notes, [r.value for r in shown.app_roles])
    await print_refusal(administrator.applications.post(Application(display_name="")))
    await print_refusal(administrator.applications.by_application_id(str(uuid.UUID(int=1))).get())

    print("\n# Step 3: the application of the client, and both service principals")
    client = await administrator.applications.post(Application(display_name="python client"))
    api_principal = await administrator.service_principals.post(ServicePrincipal(app_id=orders.app_id))
    principal = await administrator.service_principals.post(ServicePrincipal(app_id=client.app_id))
    print(api_principal.display_name, "|", principal.display_name)
    await print_refusal(administrator.service_principals.post(ServicePrincipal(app_id=client.app_id)))

    print("\n# Step 4: the requested permission")
    access = RequiredResourceAccess(
        resource_app_id=orders.app_id,
        resource_access=[ResourceAccess(id=role.id, type="Role")],
    )
    this_client = administrator.applications.by_application_id(client.id)
    await this_client.patch(Application(required_resource_access=[access]))
    print([a.type for a in (await this_client.get()).required_resource_access[0].resource_access])

    print("\n# Step 5: admin consent")

    async def assign(resource, role_id):
        return await administrator.service_principals.by_service_principal_id(
            resource.id
        ).app_role_assigned_to.post(
            AppRoleAssignment(
                principal_id=uuid.UUID(principal.id),
                resource_id=uuid.UUID(resource.id),
                app_role_id=role_id,
            )
        )

    assigned = await assign(api_principal, role.id)
    print(assigned.principal_display_name, "|", assigned.resource_display_name)
    await print_refusal(assign(api_principal, role.id))
    greeting = await administrator.service_principals_with_app_id(GREETING_API).get()
    hi_role = next(r for r in greeting.app_roles if r.value == "CallHiApiRole")
    consent = await assign(greeting, hi_role.id)

    print("\n# Step 6: a secret, and the first token")

    async def new_secret(name):
        body = AddPasswordPostRequestBody(
            password_credential=PasswordCredential(display_name=name)
        )
        return await this_client.add_password.post(body)

    first = await new_secret("first")
    print(roles(token(client.app_id, first.secret_text, orders.app_id)))
    print(call_hi(token(client.app_id, first.secret_text, GREETING_API)))
    print_refused(lambda: token(client.app_id, "wrong", orders.app_id))
    print_refused(lambda: token(client.app_id, first.secret_text, "unknown"))
    own_graph = graph(client.app_id, first.secret_text)
    await print_refusal(own_graph.applications.post(Application(display_name="not permitted")))

    print("\n# A secret rotation")
    second = await new_secret("second")
    for secret in (first, second):
        print(call_hi(token(client.app_id, secret.secret_text, GREETING_API)))
    await this_client.remove_password.post(RemovePasswordPostRequestBody(key_id=first.key_id))
    print_refused(lambda: token(client.app_id, first.secret_text, GREETING_API))

    print("\n# A withdrawn consent")
    await administrator.service_principals.by_service_principal_id(
        greeting.id
    ).app_role_assigned_to.by_app_role_assignment_id(consent.id).delete()
    print(call_hi(token(client.app_id, second.secret_text, GREETING_API)))

    print("\n# Queries")
    options = ApplicationsRequestBuilder.ApplicationsRequestBuilderGetQueryParameters(
        filter="startswith(displayName,'python ')", orderby=["displayName"], select=["displayName"], count=True
    )
    configuration = ApplicationsRequestBuilder.ApplicationsRequestBuilderGetRequestConfiguration(
        query_parameters=options
    )
    configuration.headers.add("ConsistencyLevel", "eventual")
    page = await administrator.applications.get(request_configuration=configuration)
    print(page.odata_count, [a.display_name for a in page.value])

    print("\n# Removal")
    for application in (client, orders):
        await administrator.applications.by_application_id(application.id).delete()
    await print_refusal(this_client.get())


asyncio.run(main())
