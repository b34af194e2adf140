"""An API without any check of tokens: it answers with what it received."""

import base64
import hashlib
import http.server
import re
import sys


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        if self.path == "/ws" and self.headers.get("upgrade", "").lower() == "websocket":
            return self.answer_socket()
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        text = self.received(body)
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_POST = do_DELETE = do_HEAD = answer

    def received(self, body):
        fields = sorted(
            f"{name.lower()}={value}"
            for name, value in self.headers.items()
            if value and (re.search("caller|override|method|original|rewrite|prefix", name.lower()) or name.lower() == "upgrade")
        )
        return " ".join(["API", self.command, self.path, body, *fields]).encode()

    def answer_socket(self):
        """Reads one short text of the client, and answers it."""
        key = self.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("upgrade", "websocket")
        self.send_header("connection", "Upgrade")
        self.send_header("sec-websocket-accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        head = self.rfile.read(6)
        body = self.rfile.read(head[1] & 127)
        text = self.received(bytes(byte ^ head[2 + index % 4] for index, byte in enumerate(body)).decode())
        self.wfile.write(b"\x81\x7e" + len(text).to_bytes(2, "big") + text)
        self.close_connection = True

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Api).serve_forever()
