"""Serves Debian's Placement on a SQLite file: serve-placement.py DIRECTORY PORT. Tokens are not checked beyond noauth2's rules."""
import os
import sys
import wsgiref.simple_server as wss

directory, port = sys.argv[1], int(sys.argv[2])
os.makedirs(directory, exist_ok=True)
with open(os.path.join(directory, 'placement.conf'), 'w') as conf:
    conf.write(f"""[api]
auth_strategy = noauth2
[placement_database]
connection = sqlite:///{directory}/placement.db
sync_on_startup = True
""")
os.environ['OS_PLACEMENT_CONFIG_DIR'] = directory
sys.argv[1:] = []

from placement.wsgi import init_application  # noqa: E402


class Quiet(wss.WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = wss.make_server('127.0.0.1', port, init_application(), handler_class=Quiet)
print(f'listening {server.server_port}', flush=True)
server.serve_forever()
