import time
import unittest
from unittest import mock

from nova import context as nova_context
from nova import objects
from nova.scheduler import filters
from nova.scheduler import host_manager
from nova.scheduler import weights
from oslo_utils.fixture import uuidsentinel as uuids

from berth_openstack import client
from berth_openstack import nova as berth_nova
from tests.stub_berth import StubBerth

CONF = berth_nova.CONF


def make_host(name, aggregates=(), instances=()):
    host = host_manager.HostState(name, name, uuids.cell)
    host.uuid = getattr(uuids, name)
    host.aggregates = list(aggregates)
    host.instances = {uuid: None for uuid in instances}
    host.hypervisor_version = 7
    host.cpu_info = '{"arch": "x86_64"}'
    return host


def make_spec(**given):
    context = nova_context.RequestContext("user", "project", request_id="req-1")
    flavor = objects.Flavor(flavorid="1", name="m1", vcpus=1, memory_mb=512, root_gb=1,
                            ephemeral_gb=0, swap=0, extra_specs={"tier": "gold"})
    fields = dict(instance_uuid=uuids.server, project_id="project", user_id="user",
                  availability_zone=None, flavor=flavor, scheduler_hints={},
                  instance_group=None, is_bfv=False,
                  image=objects.ImageMeta.from_dict(
                      {"id": uuids.image, "properties": {"hw_architecture": "x86_64"}}))
    fields.update(given)
    return objects.RequestSpec(context, **fields)


class NovaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        objects.register_all()
        CONF([], project="nova", default_config_files=[])

    def setUp(self):
        self.berth = StubBerth()
        self.addCleanup(self.berth.close)
        berth_nova._get_client.cache_clear()
        client.register_opts(CONF)
        CONF.set_override("url", self.berth.url, group="berth")
        self.addCleanup(CONF.clear_override, "url", group="berth")
        gold = objects.Aggregate(id=7, uuid=uuids.gold, name="gold", hosts=["a"],
                                 metadata={"tier": "gold"})
        self.hosts = [make_host("a", [gold], [uuids.member, uuids.stranger]), make_host("b")]


class FilterTest(NovaTest):
    def setUp(self):
        super().setUp()
        self.berth.answer = lambda path, body: {
            "needs": [], "decision": uuids.decision, "passes": [0], "summary": "1 of 2",
            "refused": [{"host": 1, "filter": "F", "code": "c", "text": "no"}]}

    def run_filter(self, spec):
        handler = filters.HostFilterHandler()
        classes = handler.get_matching_classes(["berth_openstack.nova.BerthFilter"])
        return handler.get_filtered_objects([cls() for cls in classes], self.hosts, spec)

    def test_loads_by_name_and_passes_what_berth_passes(self):
        self.assertEqual([self.hosts[0]], self.run_filter(make_spec()))
        (path, body), = self.berth.requests
        self.assertEqual("/v1/nova/filter", path)
        self.assertEqual("req-1", body["request_id"])
        self.assertEqual("create", body["operation"])
        self.assertEqual({"tier": "gold"}, body["flavor"]["extra_specs"])
        self.assertEqual("x86_64", body["image"]["properties"]["hw_architecture"])
        self.assertEqual([{"id": 7, "uuid": uuids.gold, "name": "gold",
                           "metadata": {"tier": "gold"}}], body["aggregates"])
        self.assertEqual([[7], []], [host["aggregates"] for host in body["hosts"]])
        self.assertEqual("req-1", self.berth.headers[0]["X-OpenStack-Request-ID"])

    def test_sends_the_group_and_only_instances_that_matter(self):
        group = objects.InstanceGroup(
            uuid=uuids.group, policy="anti-affinity", rules={"max_server_per_host": "2"},
            members=[uuids.member, uuids.server], hosts=["a"])
        self.run_filter(make_spec(instance_group=group))
        body = self.berth.requests[0][1]
        self.assertEqual(
            {"uuid": uuids.group, "policy": "anti-affinity", "max_server_per_host": 2,
             "members": [uuids.member, uuids.server], "hosts": ["a"]}, body["group"])
        self.assertEqual([[uuids.member], []], [host["instances"] for host in body["hosts"]])

    def test_rebuild_is_told_and_its_note_is_no_hint(self):
        self.run_filter(make_spec(scheduler_hints={
            "_nova_check_type": ["rebuild"], "same_host": [uuids.stranger]}))
        body = self.berth.requests[0][1]
        self.assertEqual("rebuild", body["operation"])
        self.assertEqual({"same_host": uuids.stranger}, body["hints"])
        self.assertEqual([uuids.stranger], body["hosts"][0]["instances"])

    def test_sends_attributes_once_berth_needs_them(self):
        self.berth.answer = lambda path, body: (
            {"needs": [], "passes": [1], "refused": []} if body["all_attributes"]
            else {"needs": ["attributes"], "passes": [], "refused": []})
        plugin = berth_nova.BerthFilter()
        for _ in range(2):
            self.assertEqual([self.hosts[1]], plugin.filter_all(self.hosts, make_spec()))
        self.assertEqual([False, True, True],
                         [body["all_attributes"] for _, body in self.berth.requests])
        self.assertEqual('{"arch": "x86_64"}',
                         self.berth.requests[1][1]["hosts"][0]["attributes"]["cpu_info"])

    def test_fails_as_set_and_says_so(self):
        self.berth.status = 503
        for on_failure, passed in (("closed", []), ("open", self.hosts)):
            CONF.set_override("on_failure", on_failure, group="berth")
            self.addCleanup(CONF.clear_override, "on_failure", group="berth")
            with mock.patch.object(berth_nova.LOG, "error") as error:
                result = berth_nova.BerthFilter().filter_all(self.hosts, make_spec())
            self.assertEqual(passed, result)
            self.assertIn("no answer", error.call_args[0][0])

    def test_does_not_wait_longer_than_the_timeout(self):
        CONF.set_override("timeout", 0.2, group="berth")
        self.addCleanup(CONF.clear_override, "timeout", group="berth")
        self.berth.delay = 3
        began = time.monotonic()
        self.assertEqual([], berth_nova.BerthFilter().filter_all(self.hosts, make_spec()))
        self.assertLess(time.monotonic() - began, 2.5)

    def test_an_answer_about_unknown_hosts_is_a_failure(self):
        self.berth.answer = lambda path, body: {"needs": [], "passes": [2], "refused": []}
        self.assertEqual([], berth_nova.BerthFilter().filter_all(self.hosts, make_spec()))


class WeigherTest(NovaTest):
    def weigh(self):
        handler = weights.HostWeightHandler()
        classes = handler.get_matching_classes(["berth_openstack.nova.BerthWeigher"])
        weighed = handler.get_weighed_objects([cls() for cls in classes], self.hosts, make_spec())
        return [one.obj.host for one in weighed]

    def test_orders_hosts_by_the_weights_of_berth(self):
        self.berth.answer = lambda path, body: {"needs": [], "weights": [1.5, 2.5]}
        self.assertEqual(["b", "a"], self.weigh())
        self.assertEqual(["/v1/nova/weigh"], [path for path, _ in self.berth.requests])

    def test_without_berth_all_hosts_weigh_the_same(self):
        self.berth.answer = lambda path, body: {"needs": [], "weights": [1]}
        self.assertEqual(["a", "b"], self.weigh())


if __name__ == "__main__":
    unittest.main()
