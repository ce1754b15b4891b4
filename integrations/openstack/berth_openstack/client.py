"""One request to Berth for one scheduling run, with the settings of the group [berth]."""
import threading
import time

from keystoneauth1 import exceptions as ksa_exceptions
from keystoneauth1 import loading
from keystoneauth1 import noauth
from keystoneauth1 import session as ksa_session
from keystoneauth1 import token_endpoint
from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils
import requests

LOG = logging.getLogger(__name__)

GROUP = "berth"

# An answer names every host once, with reasons; this is far above the largest.
ANSWER_BYTES_MAX = 256 * 1024 * 1024
CHUNK_BYTES = 256 * 1024
ERROR_TEXT_MAX = 500

OPTS = [
    cfg.URIOpt("url", schemes=["http", "https"], default="http://127.0.0.1:8778",
               help="Address of Berth, without a path."),
    cfg.StrOpt("token", secret=True,
               help="A token of Berth itself. Without it, the Keystone options of this group "
                    "are used: auth_section = placement takes those of [placement]."),
    cfg.FloatOpt("timeout", default=5.0, min=0.1, max=600.0,
                 help="Seconds that a scheduling run waits for Berth."),
    cfg.StrOpt("on_failure", default="closed", choices=[
        ("open", "Go on as if Berth had refused no host."),
        ("closed", "Refuse all hosts.")],
        help="What to do if Berth does not answer in time or answers with an error."),
]


def _session_opts():
    # The timeout of this group is ours: it counts for the whole request.
    return [opt for opt in loading.get_session_conf_options() if opt.dest != "timeout"]


def register_opts(conf):
    conf.register_opts(OPTS, group=GROUP)
    conf.register_opts(_session_opts(), group=GROUP)
    loading.register_auth_conf_options(conf, GROUP)


def list_opts():
    """The options of the group, for oslo-config-generator."""
    return [(GROUP, OPTS + _session_opts() + loading.get_auth_common_conf_options()
             + loading.get_auth_plugin_conf_options("v3password"))]


class BerthUnavailable(Exception):
    """Berth gave no usable answer; the text says why."""


class BerthClient:
    """Sends requests to Berth; safe for many threads at once.

    Counts failed calls. The next successful call reports them to Berth, so
    that both logs show them.
    """

    def __init__(self, conf):
        register_opts(conf)
        self._conf = conf
        self._lock = threading.Lock()
        self._session = None
        self._missed = 0
        self._missed_last = None

    @property
    def fails_open(self):
        return self._conf[GROUP].on_failure == "open"

    def call(self, path, body, global_request_id=None):
        """POST body as JSON and return the parsed answer, a dict.

        :raises BerthUnavailable: no answer in time, an error, or no JSON
        """
        with self._lock:
            missed, last = self._missed, self._missed_last
        if missed:
            body = dict(body, missed_calls={
                "count": missed, "last_error": last,
                "on_failure": self._conf[GROUP].on_failure})
        try:
            answer = self._post(path, body, global_request_id)
        except BerthUnavailable as failure:
            with self._lock:
                self._missed += 1
                self._missed_last = str(failure)[:ERROR_TEXT_MAX]
            raise
        with self._lock:
            self._missed -= missed
        return answer

    def _post(self, path, body, global_request_id):
        conf = self._conf[GROUP]
        deadline = time.monotonic() + conf.timeout
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if global_request_id:
            headers["X-OpenStack-Request-ID"] = global_request_id
        url = conf.url.rstrip("/") + path
        try:
            response = self._get_session().request(
                url, "POST", data=jsonutils.dump_as_bytes(body), headers=headers,
                raise_exc=False, log=False, stream=True, connect_retries=0)
            try:
                content = _read(response, deadline)
            finally:
                response.close()
        except (ksa_exceptions.ClientException, requests.RequestException, OSError) as e:
            raise BerthUnavailable("POST %s: %s" % (url, e)) from e
        if response.status_code != 200:
            raise BerthUnavailable("POST %s: status %d: %s" % (
                url, response.status_code,
                content[:ERROR_TEXT_MAX].decode("utf-8", "replace")))
        try:
            answer = jsonutils.loads(content)
        except ValueError as e:
            raise BerthUnavailable("POST %s: the answer is no JSON: %s" % (url, e)) from e
        if not isinstance(answer, dict):
            raise BerthUnavailable("POST %s: the answer is no JSON object" % url)
        return answer

    def _get_session(self):
        with self._lock:
            if self._session is None:
                self._session = _load_session(self._conf)
            return self._session


def _load_session(conf):
    group = conf[GROUP]
    if group.token:
        auth = token_endpoint.Token(group.url, group.token)
    else:
        # None if the group names no auth_type: Berth may be open to this machine.
        auth = loading.load_auth_from_conf_options(conf, GROUP) or noauth.NoAuth(endpoint=group.url)
    verify = False if group.insecure else (group.cafile or True)
    cert = (group.certfile, group.keyfile) if group.certfile and group.keyfile else None
    return ksa_session.Session(auth=auth, verify=verify, cert=cert, timeout=group.timeout)


def _read(response, deadline):
    """Read the body in parts, so that an answer that trickles in cannot go past the deadline."""
    parts = []
    size = 0
    for part in response.iter_content(CHUNK_BYTES):
        parts.append(part)
        size += len(part)
        if size > ANSWER_BYTES_MAX:
            raise requests.RequestException("the answer has more than %d bytes" % ANSWER_BYTES_MAX)
        if time.monotonic() > deadline:
            raise requests.Timeout("no whole answer in time")
    return b"".join(parts)
