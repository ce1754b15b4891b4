"""Manila's share API with hints as lists, of any length, checked before anything is written; and forced moves.

Which shares are tied is in Manila's metadata as far as it has room. Berth keeps the rest.
"""
import functools
import json

from manila import coordination
from manila import exception
from manila import policy
from manila.share import api
from oslo_config import cfg
from oslo_log import log as logging
from oslo_utils import strutils
from oslo_utils import uuidutils
import webob.dec
import webob.exc

from berth_openstack import client as berth_client
from berth_openstack import manila_hints

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

FORGET_PATH = "/v1/manila/forget"
BODY_BYTES_MAX = 65536


@functools.lru_cache(maxsize=None)
def _get_client():
    return berth_client.BerthClient(CONF)


class ShareAPI(api.API):
    def create(self, context, *args, **kwargs):
        hints = kwargs.get("scheduler_hints")
        if hints:
            kwargs["scheduler_hints"] = self._check_hints(context, hints)
        if set(manila_hints.KEYS.values()) & set(kwargs.get("metadata") or ()):
            policy.check_policy(context, "share", "update_admin_only_metadata")
        return super().create(context, *args, **kwargs)

    def _check_hints(self, context, hints):
        if not isinstance(hints, dict):
            raise exception.InvalidInput(reason="scheduler_hints must be an object.")
        checked = dict(hints)
        for hint in manila_hints.KEYS:
            value = hints.get(hint)
            if not isinstance(value, (str, list, type(None))):
                raise exception.InvalidInput(
                    reason="%s must be a list of uuids, or text with commas." % hint)
            uuids = manila_hints.split(value) if value else []
            for uuid in uuids:
                self._check_named(context, uuid)
            checked[hint] = ",".join(uuids) or None
        return checked

    def _check_named(self, context, uuid):
        if not uuidutils.is_uuid_like(uuid):
            raise exception.InvalidUUID(uuid=uuid)
        try:
            share = self.get(context, uuid)
        except (exception.NotFound, exception.PolicyNotAuthorized):
            raise exception.ShareNotFound(share_id=uuid)
        # A public share may be seen, but not tied down, by other projects.
        if share["project_id"] != context.project_id and not context.is_admin:
            raise exception.ShareNotFound(share_id=uuid)

    def save_scheduler_hints(self, context, share, scheduler_hints=None):
        hints = manila_hints.read(scheduler_hints or {})
        if any(hints.values()):
            self._save_hints(context.elevated(), share["id"], hints)

    @coordination.synchronized("berth-share-hints")
    def _save_hints(self, context, share_id, hints):
        for hint, uuids in hints.items():
            self._change_hint(context, share_id, hint, lambda old: old + uuids)
            for uuid in uuids:
                self._change_hint(context, uuid, hint, lambda old: old + [share_id])

    def delete_scheduler_hints(self, context, share):
        context = context.elevated()
        stored = manila_hints.read_metadata(self.db.share_get(context, share["id"]))
        if any(stored.values()):
            self._delete_hints(context, share["id"], stored, self._forget(context, share["id"]))

    def _forget(self, context, share_id):
        """Berth's own list of the shares that this one is tied to: longer than Manila's, if that is full."""
        try:
            return _get_client().call(FORGET_PATH, {"share": share_id}, context.global_id)
        except berth_client.BerthUnavailable as e:
            LOG.warning("Berth does not learn that share %(share)s is deleted, which it will when it is "
                        "asked about it: %(failure)s", {"share": share_id, "failure": e})
            return {}

    @coordination.synchronized("berth-share-hints")
    def _delete_hints(self, context, share_id, stored, kept):
        for hint, key in manila_hints.KEYS.items():
            for uuid in dict.fromkeys(stored[hint] + kept.get(hint, [])):
                self._change_hint(context, uuid, hint,
                                  lambda old: [one for one in old if one != share_id])
            if stored[hint]:
                self.db.share_metadata_delete(context, share_id, key)

    def _change_hint(self, context, share_id, hint, change):
        """Must run under the lock: Manila's metadata is read and then written."""
        key = manila_hints.KEYS[hint]
        try:
            old = manila_hints.read_metadata(self.db.share_get(context, share_id))[hint]
            new = list(dict.fromkeys(change(old)))[:manila_hints.STORED_MAX]
            if new == old:
                return
            if new:
                self.db.share_metadata_update_item(context, share_id, {key: ",".join(new)})
            else:
                self.db.share_metadata_delete(context, share_id, key)
        except exception.NotFound:
            LOG.info("Share %(share)s is gone, and its hints with it", {"share": share_id})

    def _get_request_spec_dict(self, *args, **kwargs):
        spec = super()._get_request_spec_dict(*args, **kwargs)
        # The order of the arguments differs between versions of Manila.
        if any(getattr(one, "berth_force", False) for one in args):
            spec["berth_force"] = True
        return spec


class ForceMiddleware:
    """Takes "force" out of migration_start and notes it in the context, which ShareAPI reads."""

    def __init__(self, app):
        self._app = app

    @classmethod
    def factory(cls, global_conf, **local_conf):
        return cls

    @webob.dec.wsgify
    def __call__(self, req):
        if (req.method != "POST" or not req.path.endswith("/action")
                or not 0 < (req.content_length or 0) <= BODY_BYTES_MAX):
            return self._app
        try:
            body = json.loads(req.body)
        except ValueError:
            return self._app
        action = body.get("migration_start") if isinstance(body, dict) else None
        if not isinstance(action, dict) or "force" not in action:
            return self._app
        try:
            force = strutils.bool_from_string(action.pop("force"), strict=True)
        except ValueError as e:
            return webob.exc.HTTPBadRequest(explanation="force: %s" % e)
        req.environ["manila.context"].berth_force = force
        req.body = json.dumps(body).encode()
        return self._app
