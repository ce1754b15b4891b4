"""A filter and a weigher for Nova's scheduler that ask Berth, once for each server to place."""
import functools

from nova.scheduler import filters
from nova.scheduler import utils
from nova.scheduler import weights
from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils

import nova.conf

from berth_openstack import client as berth_client

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)

FILTER_PATH = "/v1/nova/filter"
WEIGH_PATH = "/v1/nova/weigh"

# Policies that Berth knows; a group of another one is Nova's affair.
POLICIES = ("affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity")

# What filters such as ComputeCapabilitiesFilter read; sent only if Berth says that it needs them.
ATTRIBUTES = ("cpu_info", "disk_allocation_ratio", "host_ip", "hypervisor_hostname",
              "hypervisor_type", "hypervisor_version", "nodename", "ram_allocation_ratio",
              "stats", "supported_instances", "total_usable_disk_gb", "total_usable_ram_mb")

WEIGHT_MULTIPLIER = cfg.FloatOpt(
    "weight_multiplier", default=1.0,
    help="The multiplier of BerthWeigher beside Nova's other weighers.")

@functools.lru_cache(maxsize=None)
def _get_client():
    """One client for the process, so that the filter and the weigher count failures together."""
    CONF.register_opt(WEIGHT_MULTIPLIER, group=berth_client.GROUP)
    return berth_client.BerthClient(CONF)


class _Caller:
    """Sends one path, and remembers which fields of hosts Berth wants there."""

    def __init__(self, path):
        self._path = path
        self._all_attributes = False

    def ask(self, hosts, spec):
        body = make_body(hosts, spec, self._all_attributes)
        answer = _get_client().call(self._path, body, body["global_request_id"])
        if answer.get("needs") and not self._all_attributes:
            self._all_attributes = True
            return self.ask(hosts, spec)
        return answer


class BerthFilter(filters.BaseHostFilter):
    """Passes the hosts that Berth's filters pass."""

    # Berth knows which of its filters look at the image.
    RUN_ON_REBUILD = True

    def __init__(self):
        super().__init__()
        self._caller = _Caller(FILTER_PATH)
        _get_client()

    def filter_all(self, filter_obj_list, spec_obj):
        hosts = list(filter_obj_list)
        if not hosts:
            return hosts
        try:
            answer = self._caller.ask(hosts, spec_obj)
            passed = [hosts[at] for at in _indexes(answer, len(hosts))]
        except berth_client.BerthUnavailable as e:
            return self._without_berth(hosts, spec_obj, e)
        log = LOG.info if len(passed) < len(hosts) else LOG.debug
        log("Berth, decision %(decision)s about server %(server)s: %(summary)s", {
            "decision": answer.get("decision"), "server": spec_obj.instance_uuid,
            "summary": answer.get("summary")})
        for one in answer.get("refused", ()):
            LOG.debug("Berth refuses %(host)s: %(filter)s: %(text)s", {
                "host": hosts[one["host"]].host, "filter": one["filter"],
                "text": one["text"]})
        return passed

    def _without_berth(self, hosts, spec_obj, failure):
        fails_open = _get_client().fails_open
        LOG.error("Berth gives no answer about server %(server)s; %(did)s as [berth] "
                  "on_failure says: %(failure)s", {
                      "server": spec_obj.instance_uuid, "failure": failure,
                      "did": "all hosts pass" if fails_open else "no host passes"})
        return hosts if fails_open else []


def _indexes(answer, count):
    passes = answer.get("passes")
    if not isinstance(passes, list) or not all(
            isinstance(at, int) and 0 <= at < count for at in passes):
        raise berth_client.BerthUnavailable("the answer names hosts that were not sent")
    return passes


class BerthWeigher(weights.BaseHostWeigher):
    """Weighs hosts as Berth's weighers do."""

    def __init__(self):
        super().__init__()
        self._caller = _Caller(WEIGH_PATH)
        _get_client()

    def weight_multiplier(self, host_state):
        return utils.get_weight_multiplier(
            host_state, "berth_weight_multiplier", CONF.berth.weight_multiplier)

    def _weigh_object(self, obj, weight_properties):
        raise NotImplementedError("hosts are weighed together")

    def weigh_objects(self, weighed_obj_list, weight_properties):
        hosts = [weighed.obj for weighed in weighed_obj_list]
        try:
            found = self._caller.ask(hosts, weight_properties).get("weights")
            if (not isinstance(found, list) or len(found) != len(hosts)
                    or not all(isinstance(one, (int, float)) for one in found)):
                raise berth_client.BerthUnavailable("the answer has not one weight for each host")
        except berth_client.BerthUnavailable as e:
            LOG.error("Berth gives no weights for server %(server)s; all hosts weigh the "
                      "same: %(failure)s", {
                          "server": weight_properties.instance_uuid, "failure": e})
            return [0.0] * len(hosts)
        return found


def make_body(hosts, spec, all_attributes):
    """The request and its hosts, with all that Nova knows."""
    context = spec._context
    group = _group(spec)
    # Only instances that the request is about matter.
    named = set(group["members"]) if group else set()
    hints = _hints(spec)
    for hint in ("same_host", "different_host"):
        value = hints.get(hint) or []
        named.update(value if isinstance(value, list) else [value])
    named.add(spec.instance_uuid)
    aggregates = {}
    for host in hosts:
        for aggregate in host.aggregates:
            aggregates[aggregate.id] = aggregate
    return {
        "operation": "rebuild" if utils.request_is_rebuild(spec) else "create",
        "instance": spec.instance_uuid,
        "project": spec.project_id,
        "user": _get(spec, "user_id"),
        "zone": spec.availability_zone,
        "flavor": _flavor(spec.flavor),
        "image": _image(spec),
        "volume_backed": bool(_get(spec, "is_bfv")),
        "hints": hints,
        "group": group,
        "request_id": context.request_id if context else None,
        "global_request_id": context.global_id if context else None,
        "all_attributes": all_attributes,
        "aggregates": [_aggregate(one) for one in aggregates.values()],
        "hosts": [_host(host, named, all_attributes) for host in hosts],
    }


def _get(obj, field):
    """A field of a versioned object, or None where it is not set."""
    return getattr(obj, field) if field in obj else None


def _flavor(flavor):
    return {
        "id": flavor.flavorid, "name": flavor.name, "vcpus": flavor.vcpus,
        "ram": flavor.memory_mb, "disk": flavor.root_gb, "ephemeral": flavor.ephemeral_gb,
        "swap": flavor.swap, "extra_specs": dict(_get(flavor, "extra_specs") or {}),
    }


def _image(spec):
    image = _get(spec, "image")
    if image is None:
        return None
    properties = _get(image, "properties")
    return {
        "id": _get(image, "id"),
        "disk_format": _get(image, "disk_format"),
        "properties": {} if properties is None else jsonutils.to_primitive(
            {name: getattr(properties, name) for name in properties.fields
             if properties.obj_attr_is_set(name)}),
    }


def _hints(spec):
    """Hints as users wrote them: Nova keeps each as a list. Its own notes are left out."""
    hints = _get(spec, "scheduler_hints") or {}
    return {name: value[0] if isinstance(value, list) and len(value) == 1 else value
            for name, value in hints.items() if not name.startswith("_nova_")}


def _group(spec):
    group = _get(spec, "instance_group")
    if group is None or _get(group, "policy") not in POLICIES:
        return None
    rules = group.rules
    return {
        "uuid": group.uuid,
        "policy": group.policy,
        "max_server_per_host": max(1, int(rules.get("max_server_per_host", 1))),
        "members": list(_get(group, "members") or []),
        "hosts": sorted(set(_get(group, "hosts") or [])),
    }


def _aggregate(aggregate):
    return {"id": aggregate.id, "uuid": aggregate.uuid, "name": aggregate.name,
            "metadata": dict(aggregate.metadata)}


def _host(host, named, all_attributes):
    sent = {
        "name": host.host,
        "uuid": host.uuid,
        "aggregates": [aggregate.id for aggregate in host.aggregates],
        "free_ram_mb": host.free_ram_mb,
        "free_disk_mb": host.free_disk_mb,
        "vcpus_total": host.vcpus_total,
        "vcpus_used": host.vcpus_used,
        "num_instances": host.num_instances,
        "num_io_ops": host.num_io_ops,
        "failed_builds": host.failed_builds,
        "instances": [uuid for uuid in host.instances if uuid in named],
        "attributes": _attributes(host) if all_attributes else {
            "hypervisor_version": host.hypervisor_version},
    }
    if host.cpu_allocation_ratio is not None:
        sent["cpu_allocation_ratio"] = host.cpu_allocation_ratio
    service = getattr(host, "service", None) or {}
    if service.get("disabled"):
        sent["enabled"] = False
        sent["disabled_reason"] = service.get("disabled_reason")
    if host.pci_stats:
        sent["free_pci_devices"] = sum(pool["count"] for pool in host.pci_stats.pools)
    if host.metrics:
        sent["metrics"] = {metric.name: metric.value for metric in host.metrics}
    return sent


def _attributes(host):
    return jsonutils.to_primitive(
        {name: getattr(host, name, None) for name in ATTRIBUTES})
