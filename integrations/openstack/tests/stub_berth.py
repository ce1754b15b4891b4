"""A server on a free port with configurable answers, which records its requests."""
import http.server
import json
import threading
import time


class StubBerth:
    def __init__(self):
        self.requests = []
        self.headers = []
        self.answer = lambda path, body: {}
        self.status = 200
        self.delay = 0
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                stub.requests.append((self.path, body))
                stub.headers.append(dict(self.headers))
                time.sleep(stub.delay)
                content = json.dumps(stub.answer(self.path, body)).encode()
                try:
                    self.send_response(stub.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    pass  # The client has gone.

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
