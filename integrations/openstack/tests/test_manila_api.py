import json
import unittest
from unittest import mock

from manila import context as manila_context
from manila import coordination
from manila import exception
from manila.share import api
from oslo_config import cfg
from oslo_utils.fixture import uuidsentinel as uuids
import webob

from berth_openstack import client
from berth_openstack import manila_api
from tests.stub_berth import StubBerth

CONF = cfg.CONF
SAME = "__affinity_same_host"
AWAY = "__affinity_different_host"


class FakeDb:
    """Metadata of shares by uuid, with what Manila's database refuses."""

    def __init__(self, *shares):
        self.metadata = {uuid: {} for uuid in shares}

    def share_get(self, context, uuid):
        if uuid not in self.metadata:
            raise exception.NotFound()
        return {"share_metadata": [
            {"key": key, "value": value} for key, value in self.metadata[uuid].items()]}

    def share_metadata_update_item(self, context, uuid, item):
        assert all(len(value) <= 1023 for value in item.values())
        self.metadata[uuid].update(item)

    def share_metadata_delete(self, context, uuid, key):
        self.metadata[uuid].pop(key, None)


class ShareApiTest(unittest.TestCase):
    def setUp(self):
        CONF([], project="manila", default_config_files=[])
        for patch in (mock.patch.object(api.API, "__init__", lambda self: None),
                      mock.patch.object(coordination, "Lock", mock.MagicMock())):
            patch.start()
            self.addCleanup(patch.stop)
        self.berth = StubBerth()
        self.addCleanup(self.berth.close)
        manila_api._get_client.cache_clear()
        client.register_opts(CONF)
        CONF.set_override("url", self.berth.url, group="berth")
        self.addCleanup(CONF.clear_override, "url", group="berth")
        self.api = manila_api.ShareAPI()
        self.projects = {}
        self.api.get = self.get
        self.context = manila_context.RequestContext("user", "project", is_admin=False)

    def get(self, context, uuid):
        if uuid not in self.projects:
            raise exception.NotFound()
        return {"id": uuid, "project_id": self.projects[uuid]}

    def create(self, hints, **given):
        with mock.patch.object(api.API, "create") as create:
            self.api.create(self.context, "NFS", 1, None, None, scheduler_hints=hints, **given)
        return create.call_args[1]["scheduler_hints"]

    def test_lists_and_text_are_the_same(self):
        self.projects = {uuids.a: "project", uuids.b: "project"}
        both = "%s,%s" % (uuids.a, uuids.b)
        for hint in ([uuids.a, uuids.b], both, "%s, %s" % (uuids.a, uuids.b)):
            self.assertEqual(both, self.create({"same_host": hint, "only_host": "x"})["same_host"])

    def test_every_share_is_checked_before_anything_is_written(self):
        self.projects = {uuids.a: "project", uuids.public: "another"}
        for wrong, hint in ((exception.InvalidUUID, [uuids.a, "no-uuid"]),
                            (exception.InvalidUUID, uuids.a + ","),
                            (exception.ShareNotFound, [uuids.a, uuids.gone]),
                            (exception.ShareNotFound, [uuids.public]),
                            (exception.InvalidInput, {"a": 1})):
            with self.assertRaises(wrong):
                self.create({"different_host": hint})

    def test_only_admins_put_hints_into_metadata(self):
        with mock.patch.object(manila_api.policy, "check_policy",
                               side_effect=exception.PolicyNotAuthorized(action="x")):
            with self.assertRaises(exception.PolicyNotAuthorized):
                self.create(None, metadata={AWAY: uuids.a})

    def test_both_sides_are_stored_as_far_as_there_is_room(self):
        named = [getattr(uuids, "share%d" % at) for at in range(60)]
        self.api.db = db = FakeDb(uuids.new, *named)
        db.metadata[named[0]][AWAY] = uuids.old
        db.metadata[named[1]][AWAY] = ",".join([uuids.old] * 27)
        self.api.save_scheduler_hints(
            self.context, {"id": uuids.new}, {"different_host": ",".join(named)})
        self.assertEqual(",".join(named[:27]), db.metadata[uuids.new][AWAY])
        self.assertEqual("%s,%s" % (uuids.old, uuids.new), db.metadata[named[0]][AWAY])
        self.assertEqual([uuids.new], [db.metadata[named[59]][AWAY]])

    def test_deletion_clears_both_sides_and_what_only_berth_knows(self):
        self.berth.answer = lambda path, body: {"same_host": [], "different_host": [uuids.far]}
        self.api.db = db = FakeDb(uuids.gone, uuids.near, uuids.far)
        db.metadata[uuids.gone][AWAY] = "%s,%s" % (uuids.near, uuids.deleted)
        db.metadata[uuids.near][AWAY] = uuids.gone
        db.metadata[uuids.far][AWAY] = "%s,%s" % (uuids.near, uuids.gone)
        self.api.delete_scheduler_hints(self.context, {"id": uuids.gone})
        self.assertEqual({uuids.gone: {}, uuids.near: {}, uuids.far: {AWAY: uuids.near}},
                         db.metadata)
        self.assertEqual([("/v1/manila/forget", {"share": uuids.gone})], self.berth.requests)

    def test_deletion_does_not_need_berth(self):
        self.berth.status = 503
        self.api.db = db = FakeDb(uuids.gone, uuids.near)
        db.metadata[uuids.gone][SAME] = uuids.near
        db.metadata[uuids.near][SAME] = uuids.gone
        self.api.delete_scheduler_hints(self.context, {"id": uuids.gone})
        self.assertEqual({uuids.gone: {}, uuids.near: {}}, db.metadata)


class ForceTest(unittest.TestCase):
    def ask(self, body):
        context = manila_context.RequestContext("admin", "project", is_admin=True)
        seen = []

        @webob.dec.wsgify
        def app(req):
            seen.append(json.loads(req.body))
            return webob.Response(status=202)

        req = webob.Request.blank("/v2/shares/x/action", method="POST", body=json.dumps(body).encode())
        req.environ["manila.context"] = context
        status = req.get_response(manila_api.ForceMiddleware.factory({})(app)).status_int
        return status, seen, getattr(context, "berth_force", None)

    def test_force_goes_from_the_body_to_the_context(self):
        self.assertEqual((202, [{"migration_start": {"host": "h"}}], True),
                         self.ask({"migration_start": {"host": "h", "force": True}}))
        self.assertEqual((202, [{"migration_start": {"host": "h"}}], None),
                         self.ask({"migration_start": {"host": "h"}}))
        self.assertEqual((202, [{"extend": {"force": True}}], None),
                         self.ask({"extend": {"force": True}}))

    def test_a_force_that_is_no_boolean_is_refused(self):
        status, seen, _ = self.ask({"migration_start": {"force": "maybe"}})
        self.assertEqual((400, []), (status, seen))

    def test_the_request_for_the_scheduler_has_it(self):
        context = mock.Mock(berth_force=True)
        with mock.patch.object(api.API, "_get_request_spec_dict", lambda self, *args: {}), \
                mock.patch.object(api.API, "__init__", lambda self: None):
            share_api = manila_api.ShareAPI()
            self.assertEqual({"berth_force": True}, share_api._get_request_spec_dict({}, {}, context))
            self.assertEqual({}, share_api._get_request_spec_dict({}, {}, object()))


if __name__ == "__main__":
    unittest.main()
