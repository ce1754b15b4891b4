"""Serves Debian's Placement: serve-placement.py DIRECTORY PORT [CONNECTION], on a SQLite file without one, in one process; or for uWSGI.
With `sync` as PORT it only creates the tables.

Tokens are not checked beyond noauth2's rules."""
import os
import socketserver
import sys
import wsgiref.simple_server as wss

directory, port = sys.argv[1], sys.argv[2]
connection = sys.argv[3] if len(sys.argv) > 3 else f'sqlite:///{directory}/placement.db'
os.makedirs(directory, exist_ok=True)
with open(os.path.join(directory, 'placement.conf'), 'w') as conf:
    conf.write(f"""[api]
auth_strategy = noauth2
[placement_database]
connection = {connection}
max_pool_size = 25
sync_on_startup = True
""")
os.environ['OS_PLACEMENT_CONFIG_DIR'] = directory
sys.argv[1:] = []

from placement.wsgi import init_application  # noqa: E402

application = init_application()


class Threads(socketserver.ThreadingMixIn, wss.WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Quiet(wss.WSGIRequestHandler):
    def log_message(self, *_):
        pass


if __name__ == '__main__' and port != 'sync':
    server = wss.make_server('127.0.0.1', int(port), application, handler_class=Quiet,
                             server_class=wss.WSGIServer if connection.startswith('sqlite') else Threads)
    print(f'listening {server.server_port}', flush=True)
    server.serve_forever()
