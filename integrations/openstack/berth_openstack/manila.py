"""Manila's scheduler asks Berth where shares may go: a filter, a weigher, and a scheduler driver.

Hints are Berth's affair. Manila's own filters and weighers do the rest.
"""
import functools

from manila import db
from manila import exception
from manila.scheduler.drivers import filter as filter_driver
from manila.scheduler.filters import base_host as base_filter
from manila.scheduler.weighers import base_host as base_weigher
from oslo_config import cfg
from oslo_log import log as logging

from berth_openstack import client as berth_client
from berth_openstack import manila_hints

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

FILTER_PATH = "/v1/manila/filter"
PLACE_PATH = "/v1/manila/place"

# Each round sends Berth the shares that it asked for.
ROUNDS_MAX = 10

# What Berth's choice weighs more than all weighers that may run after it.
CHOICE_WEIGHT = 1e6

# Filters and the weigher that BerthScheduler stands for.
REPLACED = ("AffinityFilter", "AntiAffinityFilter", "BerthFilter", "BerthWeigher")


@functools.lru_cache(maxsize=None)
def _get_client():
    """One client for the process, so that all count failures together."""
    return berth_client.BerthClient(CONF)


class _Run:
    """One run of the scheduler for one share."""

    def __init__(self, properties):
        spec = properties.get("request_spec") or {}
        self._properties = properties
        self._context = properties["context"]
        self._elevated = self._context.elevated()
        self.share_id = spec.get("share_id")
        self._share = None
        self.operation = None
        if self.share_id and not spec.get("is_share_extend"):
            self._share = db.share_get(self._elevated, self.share_id)
            self.operation = self._find_operation(spec)
        self._force = bool(spec.get("berth_force"))

    def _find_operation(self, spec):
        instance = spec.get("share_instance_properties") or {}
        if not instance.get("host"):
            return "replica" if self._share["host"] else "create"
        return "move" if self._share.is_busy else None

    def ask(self, path, pools, weights=None):
        """Berth's answer about these pools.

        :raises BerthUnavailable: no answer in time, an error, or no JSON
        """
        body = self._make_body(pools, weights)
        named = [uuid for uuids in body["hints"].values() for uuid in uuids]
        named += [uuid for uuids in body["share"]["hints"].values() for uuid in uuids]
        for _ in range(ROUNDS_MAX):
            self._describe_others(body, named)
            answer = _get_client().call(path, body, self._context.global_id)
            named = answer.get("needs")
            if not named:
                return answer
        raise berth_client.BerthUnavailable("Berth asks about more and more shares")

    def _make_body(self, pools, weights):
        properties = self._properties
        return {
            "operation": self.operation,
            "share": _describe(self._share),
            "hints": manila_hints.read(properties.get("scheduler_hints") or {}),
            "force": self._force,
            "project": self._share["project_id"],
            "size": properties.get("size"),
            "type": (properties.get("share_type") or {}).get("name"),
            "zone": properties.get("availability_zone_id"),
            "request_id": self._context.request_id,
            "global_request_id": self._context.global_id,
            "shares": [],
            "missing": [],
            "pools": [{"host": pool.host, "free_gb": _number(pool.free_capacity_gb),
                       "weight": weights[at] if weights else 0}
                      for at, pool in enumerate(pools)],
        }

    def _describe_others(self, body, uuids):
        known = {share["uuid"] for share in body["shares"]} | {self.share_id} | set(body["missing"])
        for uuid in dict.fromkeys(uuids):
            if uuid in known:
                continue
            try:
                body["shares"].append(_describe(db.share_get(self._elevated, uuid)))
            except exception.NotFound:
                body["missing"].append(uuid)


def _describe(share):
    return {
        "uuid": share["id"],
        "host": share["host"] or None,
        "hosts": [instance["host"] for instance in share.instances if instance["host"]],
        "status": share["status"],
        "is_moving": share.is_busy,
        "hints": manila_hints.read_metadata(share),
    }


def _number(value):
    """None for text: drivers may report "unknown"."""
    return value if isinstance(value, (int, float)) else None


def _log_answer(run, pools, answer):
    log = LOG.info if answer.get("refused") else LOG.debug
    log("Berth, decision %(decision)s about share %(share)s: %(summary)s", {
        "decision": answer.get("decision"), "share": run.share_id,
        "summary": answer.get("summary")})
    for one in answer.get("refused", ()):
        LOG.debug("Berth refuses %(host)s: %(filter)s: %(text)s", {
            "host": pools[one["host"]].host, "filter": one["filter"], "text": one["text"]})


def _log_failure(run, failure):
    fails_open = _get_client().fails_open
    LOG.error("Berth gives no answer about share %(share)s; %(did)s as [berth] on_failure "
              "says: %(failure)s", {
                  "share": run.share_id, "failure": failure,
                  "did": "hints are not checked" if fails_open else "no pool passes"})
    return fails_open


def _is_place(value, count):
    return isinstance(value, int) and 0 <= value < count


class BerthFilter(base_filter.BaseHostFilter):
    """Passes the pools that keep the hints of the share, and those of shares that name it."""

    def filter_all(self, filter_obj_list, filter_properties):
        pools = list(filter_obj_list)
        run = _Run(filter_properties)
        if not pools or run.operation is None:
            return pools
        try:
            answer = run.ask(FILTER_PATH, pools)
            passes = answer.get("passes")
            if not isinstance(passes, list) or not all(
                    _is_place(at, len(pools)) for at in passes):
                raise berth_client.BerthUnavailable("the answer names pools that were not sent")
        except berth_client.BerthUnavailable as e:
            return pools if _log_failure(run, e) else []
        _log_answer(run, pools, answer)
        return [pools[at] for at in passes]


def _choose(run, pools, weights):
    """The place of the pool that Berth has reserved, or None to go on without Berth.

    :raises NoValidHost: no pool keeps the hints at this moment
    """
    try:
        answer = run.ask(PLACE_PATH, pools, weights)
        chosen = answer.get("pool")
        if chosen is not None and not _is_place(chosen, len(pools)):
            raise berth_client.BerthUnavailable("the answer names a pool that was not sent")
    except berth_client.BerthUnavailable as e:
        if _log_failure(run, e):
            return None
        raise exception.NoValidHost(reason="Berth gives no answer") from e
    _log_answer(run, pools, answer)
    if chosen is None:
        reasons = sorted({one["text"] for one in answer.get("refused", ())})
        raise exception.NoValidHost(
            reason="%s. %s" % (answer.get("summary"), " ".join(reasons)),
            detail_data={"last_filter": "BerthFilter"})
    return chosen


class BerthWeigher(base_weigher.BaseHostWeigher):
    """Puts the pool first that Berth reserves. Name it last: it then has the sums of all others."""

    minval = 0.0
    maxval = 1.0

    def __init__(self):
        self._multiplier = 0.0

    def weight_multiplier(self):
        return self._multiplier

    def _weigh_object(self, obj, weight_properties):
        raise NotImplementedError("pools are weighed together")

    def weigh_objects(self, weighed_obj_list, weight_properties):
        pools = [weighed.obj for weighed in weighed_obj_list]
        sums = [weighed.weight for weighed in weighed_obj_list]
        run = _Run(weight_properties)
        # Where a share is to be moved is not known here, so nothing can be reserved.
        chosen = None if run.operation in (None, "move") else _choose(run, pools, sums)
        if chosen is None:
            return [0.0] * len(pools)
        self._multiplier = max(sums) - min(sums) + CHOICE_WEIGHT
        return [float(at == chosen) for at in range(len(pools))]


class BerthScheduler(filter_driver.FilterScheduler):
    """Manila's filters and weighers rank the pools; then Berth decides in one call."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.host_manager = _DecidingHostManager(self.host_manager)

    def host_passes_filters(self, context, host, request_spec, filter_properties):
        return super().host_passes_filters(
            context, host, dict(request_spec, berth_target=host), filter_properties)


class _DecidingHostManager:
    """A host manager whose ranking begins with the pool that Berth reserved."""

    def __init__(self, manager):
        self._manager = manager

    def __getattr__(self, name):
        return getattr(self._manager, name)

    def get_filtered_hosts(self, hosts, filter_properties, filter_class_names=None):
        names = _without_replaced(filter_class_names or CONF.scheduler_default_filters)
        if not names:
            return list(hosts), None
        return self._manager.get_filtered_hosts(hosts, filter_properties, names)

    def get_weighed_hosts(self, hosts, weight_properties, weigher_class_names=None):
        names = _without_replaced(weigher_class_names or CONF.scheduler_default_weighers)
        weighed = self._manager.get_weighed_hosts(hosts, weight_properties, names)
        target = (weight_properties.get("request_spec") or {}).get("berth_target")
        eligible = [one for one in weighed if target in (None, one.obj.host)]
        run = _Run(weight_properties)
        if not eligible or run.operation is None:
            return weighed
        chosen = _choose(run, [one.obj for one in eligible], [one.weight for one in eligible])
        if chosen is None:
            return weighed
        return [eligible[chosen]] + [one for one in weighed if one is not eligible[chosen]]


def _without_replaced(names):
    names = [names] if isinstance(names, str) else names
    return [name for name in names if name not in REPLACED]
