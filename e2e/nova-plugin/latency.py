"""Time of BerthFilter and of Nova's own filters for 1,000 hosts: latency.py URL TOKEN"""
import statistics
import sys
import time
import urllib.request

from nova import context
from nova import objects
from nova.scheduler import filters
from nova.scheduler import host_manager
from oslo_utils import uuidutils

from berth_openstack import client
from berth_openstack import nova as berth_nova

HOSTS = 1000
RUNS = 30
OWN = ["ComputeCapabilitiesFilter", "ImagePropertiesFilter", "ServerGroupAntiAffinityFilter",
       "ServerGroupAffinityFilter", "AggregateInstanceExtraSpecsFilter"]


def make_hosts():
    aggregates = [objects.Aggregate(id=n, uuid=uuidutils.generate_uuid(), name="rack-%d" % n,
                                    hosts=[], metadata={"tier": "gold" if n % 2 else "silver"})
                  for n in range(20)]
    hosts = []
    for n in range(HOSTS):
        host = host_manager.HostState("host-%d" % n, "host-%d" % n, uuidutils.generate_uuid())
        host.uuid = uuidutils.generate_uuid()
        host.aggregates = [aggregates[n % 20]]
        host.instances = {uuidutils.generate_uuid(): None for _ in range(20)}
        host.hypervisor_type, host.hypervisor_version = "QEMU", 7000000
        host.supported_instances = [["x86_64", "kvm", "hvm"]]
        hosts.append(host)
    return hosts


def make_spec():
    flavor = objects.Flavor(flavorid="1", name="m1", vcpus=1, memory_mb=512, root_gb=1,
                            ephemeral_gb=0, swap=0, extra_specs={
                                "aggregate_instance_extra_specs:tier": "gold"})
    group = objects.InstanceGroup(uuid=uuidutils.generate_uuid(), policy="anti-affinity",
                                  policies=["anti-affinity"], rules={}, members=[uuidutils.generate_uuid()], hosts=[])
    image = objects.ImageMeta.from_dict({"id": uuidutils.generate_uuid(), "properties": {
        "hw_architecture": "x86_64"}})
    return objects.RequestSpec(
        context.RequestContext("user", "project"), instance_uuid=uuidutils.generate_uuid(),
        project_id="project", user_id="user", availability_zone=None, flavor=flavor,
        image=image, scheduler_hints={}, instance_group=group, is_bfv=False)


def measure(run_filters, hosts):
    times = []
    used = time.process_time()
    for _ in range(RUNS):
        spec = make_spec()
        began = time.perf_counter()
        passed = hosts
        for one in run_filters:
            passed = list(one.filter_all(passed, spec))
        times.append((time.perf_counter() - began) * 1000)
        assert len(passed) == HOSTS // 2, len(passed)
    times.sort()
    used = (time.process_time() - used) * 1000 / RUNS
    return statistics.median(times), times[int(len(times) * 0.95)], used


def read_cpu_ms(url, token):
    request = urllib.request.Request(url + "/metrics", headers={"X-Auth-Token": token})
    with urllib.request.urlopen(request) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith("process_cpu_seconds_total "):
                return float(line.split()[1]) * 1000
    return 0.0


def main():
    url, token = sys.argv[1:]
    objects.register_all()
    conf = berth_nova.CONF
    conf([], project="nova", default_config_files=[])
    client.register_opts(conf)
    conf.set_override("url", url, group="berth")
    conf.set_override("token", token, group="berth")
    hosts = make_hosts()
    known = {cls.__name__: cls for cls in filters.all_filters()}
    for name, chosen in (("BerthFilter", [berth_nova.BerthFilter()]),
                         ("Nova's " + ", ".join(OWN), [known[name]() for name in OWN])):
        served = read_cpu_ms(url, token)
        median, high, used = measure(chosen, hosts)
        served = (read_cpu_ms(url, token) - served) / RUNS
        print("%d hosts, %s: %.1f ms, 95 of 100 below %.1f ms; CPU time %.1f ms here, %.1f ms in Berth" % (
            HOSTS, name, median, high, used, served))


if __name__ == "__main__":
    main()
