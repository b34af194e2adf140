"""An API without any check of tokens: it answers with what it received."""

import http.server
import sys


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        caller = sorted(
            f"{name.lower()}={value}"
            for name, value in self.headers.items()
            if "caller" in name.lower() and value
        )
        text = " ".join(["API", self.command, self.path, body, *caller]).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_POST = do_DELETE = do_HEAD = answer

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Api).serve_forever()
