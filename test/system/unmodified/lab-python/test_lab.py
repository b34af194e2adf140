"""Tests a client of the identity provider over /lab. It needs only the standard library of Python."""
import json
import os
import unittest
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ["AUTH_URL"]
TENANT = os.environ["TENANT_ID"]
SERVER_API = "api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6"


def token(scope, headers=None):
    """Requests a token as the administrator."""
    form = {
        "grant_type": "client_credentials",
        "client_id": os.environ["ADMINISTRATOR_ID"],
        "client_secret": os.environ["ADMINISTRATOR_SECRET"],
        "scope": scope + "/.default",
    }
    request = Request(f"{URL}/{TENANT}/oauth2/v2.0/token", urlencode(form).encode(), headers or {})
    with urlopen(request) as answer:
        return json.load(answer)["access_token"]


class Lab:
    """The operations of /lab, as an administrator."""

    def __init__(self):
        self.authorization = "Bearer " + token(SERVER_API)

    def __call__(self, method, path, body=None):
        headers = {"authorization": self.authorization, "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{URL}/lab{path}", data, headers, method=method)) as answer:
            text = answer.read()
            return json.loads(text) if text else None


class LabTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab()
        self.lab("POST", "/reset")

    def test_a_fault_breaks_one_run_only(self):
        fault = {"at": "token", "fault": "throttled", "retryAfterSeconds": 7, "run": "python"}
        self.lab("POST", "/faults", fault)
        token(SERVER_API)
        with self.assertRaises(HTTPError) as caught:
            token(SERVER_API, {"x-greeting-run": "python"})
        self.assertEqual((caught.exception.code, caught.exception.headers["retry-after"]), (429, "7"))
        caught.exception.close()
        self.assertEqual([one["applied"] for one in self.lab("GET", "/faults")["value"]], [1])

    def test_requests_contain_no_secret(self):
        token(SERVER_API)
        requests = self.lab("GET", "/requests")["value"]
        self.assertEqual(requests[-1]["form"]["client_secret"], "[redacted]")
        self.assertNotIn(os.environ["ADMINISTRATOR_SECRET"], json.dumps(requests))

    def test_a_client_that_does_not_reuse_its_token_is_reported(self):
        token(SERVER_API)
        token(SERVER_API)
        rules = {one["rule"] for one in self.lab("GET", "/misuses")["value"]}
        self.assertIn("token_not_reused", rules)

    def test_the_clock_moves(self):
        self.assertGreater(self.lab("POST", "/clock", {"advanceSeconds": 60})["offsetMs"], 50_000)

    def test_hostile_tokens_for_an_api(self):
        tokens = self.lab("POST", "/forgeries", {"api": os.environ["API_APPLICATION_ID"]})
        self.assertGreaterEqual(len(tokens["forgeries"]), 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
