"""An API in FastAPI that verifies tokens, and its tests with real tokens. The variables are those of test.env."""
import os
import unittest

import httpx
import jwt
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.testclient import TestClient

URL, TENANT, API = (os.environ[name] for name in ("AUTH_URL", "TENANT_ID", "API_APPLICATION_ID"))
keys = jwt.PyJWKClient(f"{URL}/{TENANT}/discovery/keys")
bearer = HTTPBearer(auto_error=False)


def reads_orders(credentials: HTTPAuthorizationCredentials | None = Depends(bearer)):
    if credentials is None:
        raise HTTPException(401)
    try:
        key = keys.get_signing_key_from_jwt(credentials.credentials)
        claims = jwt.decode(
            credentials.credentials,
            key,
            algorithms=["RS256"],
            audience=f"api://{API}",
            issuer=f"{URL}/{TENANT}/",
        )
    except jwt.PyJWTError as error:
        raise HTTPException(401) from error
    if "Orders.Read" not in claims.get("roles", []):
        raise HTTPException(403)


app = FastAPI()


@app.get("/orders", dependencies=[Depends(reads_orders)])
def orders():
    return []


def token(client_id):
    form = {
        "grant_type": "client_credentials",
        "client_id": client_id,
        "client_secret": os.environ["CLIENT_SECRET"],
        "scope": f"api://{API}/.default",
    }
    answer = httpx.post(f"{URL}/{TENANT}/oauth2/v2.0/token", data=form)
    return answer.raise_for_status().json()["access_token"]


class OrdersTest(unittest.TestCase):
    def status(self, access_token=None):
        headers = {"authorization": f"Bearer {access_token}"} if access_token else {}
        return TestClient(app).get("/orders", headers=headers).status_code

    def test_without_a_token_it_is_401(self):
        self.assertEqual(self.status(), 401)

    def test_with_a_changed_token_it_is_401(self):
        head, payload, _ = token(os.environ["CLIENT_ID"]).split(".")
        self.assertEqual(self.status(f"{head}.{payload}.AAAA"), 401)

    def test_without_the_role_it_is_403(self):
        self.assertEqual(self.status(token(os.environ["CLIENT_ID_WITHOUT_ROLE"])), 403)

    def test_with_the_role_it_is_200(self):
        self.assertEqual(self.status(token(os.environ["CLIENT_ID"])), 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
