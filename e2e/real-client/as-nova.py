"""Loads the [placement] section of a file as Nova and Neutron do, and asks for the providers in both ways."""
import json
import sys

from keystoneauth1 import loading
from openstack import connection
from oslo_config import cfg

GROUP = 'placement'
conf = cfg.ConfigOpts()
for register in (
    loading.register_session_conf_options,
    loading.register_auth_conf_options,
    loading.register_adapter_conf_options,
):
    register(conf, GROUP)
conf(['--config-file', sys.argv[1]], project='nova')
conf.set_default('service_type', 'placement', GROUP)

auth = loading.load_auth_from_conf_options(conf, GROUP)
session = loading.load_session_from_conf_options(conf, GROUP, auth=auth)

adapter = loading.load_adapter_from_conf_options(conf, GROUP, session=session, auth=auth)
by_adapter = adapter.get('/resource_providers', headers={'OpenStack-API-Version': 'placement 1.36'})

sdk = connection.Connection(session=session, oslo_conf=conf, service_types={'placement'}, strict_proxies=True)
by_sdk = sdk.placement.get('/resource_providers', microversion='1.36')

names = [sorted(one['name'] for one in answer.json()['resource_providers']) for answer in (by_adapter, by_sdk)]
print(json.dumps({'adapter': names[0], 'sdk': names[1], 'version': by_sdk.headers['openstack-api-version']}))
