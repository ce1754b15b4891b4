import os
import sys
import tempfile
import tomllib
import unittest
from unittest import mock

from manila import context as manila_context
from manila import exception
from manila.scheduler import host_manager
from oslo_config import cfg
from oslo_utils.fixture import uuidsentinel as uuids

from berth_openstack import client
from berth_openstack import manila as berth_manila
from tests.stub_berth import StubBerth

CONF = cfg.CONF
PROJECT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pyproject.toml")


def install_entry_points(case):
    """Acts like the installed package: Manila finds filters and weighers in its entry points."""
    with open(PROJECT, "rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    directory = tempfile.TemporaryDirectory()
    case.addClassCleanup(directory.cleanup)
    info = os.path.join(directory.name, "berth_openstack-0.dist-info")
    os.mkdir(info)
    with open(os.path.join(info, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: berth-openstack\nVersion: 0\n")
    with open(os.path.join(info, "entry_points.txt"), "w") as file:
        for group, points in groups.items():
            file.write("[%s]\n" % group)
            file.writelines("%s = %s\n" % point for point in points.items())
    patch = mock.patch("sys.path", [directory.name] + sys.path)
    patch.start()
    case.addClassCleanup(patch.stop)


class FakeShare(dict):
    """A share of Manila's database."""

    def __init__(self, uuid, host="", status="available", is_busy=False, metadata=None):
        super().__init__(id=uuid, host=host, status=status, project_id="project", share_metadata=[
            {"key": key, "value": value} for key, value in (metadata or {}).items()])
        self.instances = [{"host": host}]
        self.is_busy = is_busy


class FakeDb:
    def __init__(self, *shares):
        self._shares = {share["id"]: share for share in shares}

    def share_get(self, context, uuid):
        if uuid not in self._shares:
            raise exception.ShareNotFound(share_id=uuid)
        return self._shares[uuid]


def make_pool(host, free=10.0):
    backend, _, name = host.partition("#")
    pool = host_manager.PoolState(backend, {}, name)
    pool.free_capacity_gb = free
    return pool


def make_properties(share=uuids.share, host="", hints=None, **spec):
    context = manila_context.RequestContext("user", "project", request_id="req-1")
    return {
        "context": context, "scheduler_hints": hints or {}, "size": 3,
        "share_type": {"name": "gold"}, "availability_zone_id": None,
        "request_spec": dict({"share_id": share, "share_instance_properties": {"host": host}}, **spec),
    }


class ManilaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        CONF([], project="manila", default_config_files=[])
        install_entry_points(cls)
        cls.manager = host_manager.HostManager()

    def setUp(self):
        self.berth = StubBerth()
        self.addCleanup(self.berth.close)
        berth_manila._get_client.cache_clear()
        client.register_opts(CONF)
        self.override("url", self.berth.url)
        self.pools = [make_pool("farm@a#1"), make_pool("farm@a#2", "unknown"), make_pool("farm@b#1")]
        self.use_shares(FakeShare(uuids.share, status="creating"), FakeShare(uuids.other, "farm@a#1"))

    def override(self, option, value):
        CONF.set_override(option, value, group="berth")
        self.addCleanup(CONF.clear_override, option, group="berth")

    def use_shares(self, *shares):
        patch = mock.patch.object(berth_manila, "db", FakeDb(*shares))
        patch.start()
        self.addCleanup(patch.stop)

    def filter(self, properties):
        return self.manager.get_filtered_hosts(self.pools, properties, ["BerthFilter"])[0]

    def weigh(self, properties, names=("BerthWeigher",)):
        return self.manager.get_weighed_hosts(self.pools, properties, list(names))


class FilterTest(ManilaTest):
    def setUp(self):
        super().setUp()
        self.berth.answer = lambda path, body: {
            "needs": [], "decision": uuids.decision, "passes": [2], "summary": "1 of 3",
            "refused": [{"host": 0, "filter": "F", "code": "c", "text": "no"}]}

    def test_manila_finds_it_and_berth_gets_what_manila_knows(self):
        properties = make_properties(hints={"different_host": "%s,%s" % (uuids.other, uuids.gone)})
        self.assertEqual([self.pools[2]], self.filter(properties))
        (path, body), = self.berth.requests
        self.assertEqual("/v1/manila/filter", path)
        self.assertEqual(("create", "req-1", 3, "gold"), tuple(
            body[name] for name in ("operation", "request_id", "size", "type")))
        self.assertEqual({"same_host": [], "different_host": [uuids.other, uuids.gone]},
                         body["hints"])
        self.assertEqual([(uuids.other, "farm@a#1", ["farm@a#1"])], [
            (one["uuid"], one["host"], one["hosts"]) for one in body["shares"]])
        self.assertEqual([uuids.gone], body["missing"])
        self.assertEqual([("farm@a#1", 10.0), ("farm@a#2", None), ("farm@b#1", 10.0)],
                         [(pool["host"], pool["free_gb"]) for pool in body["pools"]])

    def test_hints_may_be_lists_and_stored_ones_are_sent_too(self):
        self.use_shares(FakeShare(uuids.share, metadata={
            "__affinity_different_host": uuids.mirrored}))
        self.filter(make_properties(hints={"same_host": [uuids.other, uuids.other]}))
        body = self.berth.requests[0][1]
        self.assertEqual([uuids.other], body["hints"]["same_host"])
        self.assertEqual([uuids.mirrored], body["share"]["hints"]["different_host"])
        self.assertEqual([uuids.other, uuids.mirrored], body["missing"])

    def test_tells_berth_of_shares_that_it_asks_about(self):
        passed = {"needs": [], "passes": [0], "refused": []}
        self.berth.answer = lambda path, body: (
            passed if body["shares"] else {"needs": [uuids.other], "passes": []})
        self.assertEqual([self.pools[0]], self.filter(make_properties()))
        self.assertEqual([uuids.other], [one["uuid"] for one in self.berth.requests[1][1]["shares"]])

    def test_gives_up_if_berth_asks_for_ever(self):
        self.berth.answer = lambda path, body: {"needs": [uuids.other], "passes": []}
        self.assertEqual([], self.filter(make_properties()))
        self.assertEqual(berth_manila.ROUNDS_MAX, len(self.berth.requests))

    def test_a_move_is_told_with_its_force(self):
        self.use_shares(FakeShare(uuids.share, "farm@a#1", is_busy=True))
        self.filter(make_properties(host="farm@a#1", berth_force=True))
        body = self.berth.requests[0][1]
        self.assertEqual(("move", True), (body["operation"], body["force"]))

    def test_share_groups_and_managed_or_extended_shares_are_not_its_affair(self):
        self.use_shares(FakeShare(uuids.share, "farm@a#1"))
        for properties in (make_properties(share=None), make_properties(host="farm@a#1"),
                           make_properties(is_share_extend=True)):
            self.assertEqual(self.pools, self.filter(properties))
        self.assertEqual([], self.berth.requests)

    def test_fails_as_set_and_says_so(self):
        self.berth.status = 503
        for on_failure, passed in (("closed", []), ("open", self.pools)):
            self.override("on_failure", on_failure)
            with mock.patch.object(berth_manila.LOG, "error") as error:
                self.assertEqual(passed, self.filter(make_properties()))
            self.assertIn("no answer", error.call_args[0][0])
        self.berth.status = 200
        self.filter(make_properties())
        self.assertEqual(2, self.berth.requests[-1][1]["missed_calls"]["count"])

    def test_an_answer_about_unknown_pools_is_a_failure(self):
        self.berth.answer = lambda path, body: {"needs": [], "passes": [3], "refused": []}
        self.assertEqual([], self.filter(make_properties()))


class WeigherTest(ManilaTest):
    def setUp(self):
        super().setUp()
        self.berth.answer = lambda path, body: {
            "needs": [], "decision": uuids.decision, "pool": 1, "refused": [], "summary": "all"}

    def test_the_reserved_pool_is_manilas_choice_wherever_the_weigher_is_named(self):
        CONF.set_override("capacity_weight_multiplier", 1000.0)
        self.addCleanup(CONF.clear_override, "capacity_weight_multiplier")
        for pool in self.pools:
            pool.total_capacity_gb = 100
            pool.free_capacity_gb = 50
        self.pools[0].free_capacity_gb = 100
        for names in (("CapacityWeigher", "BerthWeigher"), ("BerthWeigher", "CapacityWeigher")):
            self.assertIs(self.pools[1], self.weigh(make_properties(), names)[0].obj)
        sent = [pool["weight"] for pool in self.berth.requests[0][1]["pools"]]
        self.assertEqual([1000.0, 0, 0], sent)

    def test_no_pool_is_no_valid_host_with_the_reasons(self):
        self.berth.answer = lambda path, body: {
            "needs": [], "pool": None, "summary": "0 of 3 pools pass",
            "refused": [{"host": 0, "filter": "F", "code": "c", "text": "share x is here."}]}
        with self.assertRaisesRegex(exception.NoValidHost, "0 of 3 pools pass. share x is here"):
            self.weigh(make_properties())

    def test_fails_as_set(self):
        self.berth.status = 503
        with self.assertRaisesRegex(exception.NoValidHost, "no answer"):
            self.weigh(make_properties())
        self.override("on_failure", "open")
        self.assertEqual(self.pools, [one.obj for one in self.weigh(make_properties())])

    def test_reserves_nothing_for_a_move_whose_target_it_does_not_know(self):
        self.use_shares(FakeShare(uuids.share, "farm@a#1", is_busy=True))
        self.assertEqual(self.pools, [
            one.obj for one in self.weigh(make_properties(host="farm@a#1"))])
        self.assertEqual([], self.berth.requests)


class SchedulerTest(ManilaTest):
    def setUp(self):
        super().setUp()
        self.berth.answer = lambda path, body: {
            "needs": [], "decision": uuids.decision, "pool": len(body["pools"]) - 1,
            "refused": [], "summary": "all"}
        with mock.patch("manila.share.rpcapi.ShareAPI"):
            self.scheduler = berth_manila.BerthScheduler()
        self.scheduler.host_manager._manager = mock.Mock(wraps=self.manager)
        self.scheduler.host_manager._manager.get_all_host_states_share = lambda *a, **k: self.pools
        self.filters = self.scheduler.host_manager._manager.get_filtered_hosts
        CONF.set_override("scheduler_default_filters", [
            "OnlyHostFilter", "AffinityFilter", "AntiAffinityFilter", "BerthFilter"])
        CONF.set_override("scheduler_default_weighers", ["GoodnessWeigher", "BerthWeigher"])
        self.addCleanup(CONF.clear_override, "scheduler_default_filters")
        self.addCleanup(CONF.clear_override, "scheduler_default_weighers")

    def spec(self, host=""):
        return {"share_id": uuids.share, "share_properties": {"size": 3, "metadata": {}},
                "share_instance_properties": {"host": host}, "share_type": {"name": "gold"},
                "snapshot_id": None}

    def test_one_call_decides_and_stands_for_the_filters_of_hints(self):
        context = make_properties()["context"]
        with mock.patch("manila.scheduler.drivers.base.share_update_db") as update:
            self.scheduler.schedule_create_share(context, self.spec(), {})
        self.assertEqual("farm@b#1", update.call_args[0][2])
        self.assertEqual(["/v1/manila/place"], [path for path, _ in self.berth.requests])
        self.assertEqual(["OnlyHostFilter"], self.filters.call_args[0][2])

    def test_a_move_is_decided_for_its_target_alone(self):
        self.use_shares(FakeShare(uuids.share, "farm@b#1", is_busy=True))
        context = make_properties()["context"]
        found = self.scheduler.host_passes_filters(
            context, "farm@a#2", self.spec("farm@b#1"), {})
        self.assertEqual("farm@a#2", found.host)
        (_, body), = self.berth.requests
        self.assertEqual(("move", ["farm@a#2"]), (
            body["operation"], [pool["host"] for pool in body["pools"]]))
        self.berth.answer = lambda path, body: {"needs": [], "pool": None, "summary": "none"}
        with self.assertRaises(exception.NoValidHost):
            self.scheduler.host_passes_filters(context, "farm@a#2", self.spec("farm@b#1"), {})

    def test_extending_a_share_asks_nothing(self):
        spec = dict(self.spec("farm@a#2"), is_share_extend=True)
        with mock.patch.object(CONF, "scheduler_default_extend_filters", ["OnlyHostFilter"], create=True):
            found = self.scheduler.host_passes_filters(
                make_properties()["context"], "farm@a#2", spec, {})
        self.assertEqual(("farm@a#2", []), (found.host, self.berth.requests))


if __name__ == "__main__":
    unittest.main()
