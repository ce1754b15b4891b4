"""Renders what a checkout of kolla-ansible gives to the container of Placement: render-kolla.py CHECKOUT VARIABLES. Prints JSON."""
import json
import sys

import jinja2

checkout, given = sys.argv[1], json.loads(sys.argv[2])
variables = {
    'container_config_directory': '/var/lib/kolla/config_files',
    'database_connection_recycle_time': 10,
    'database_max_pool_size': 1,
    'default_project_domain_id': 'default',
    'default_user_domain_id': 'default',
    'enable_osprofiler': 'no',
    'groups': {'memcached': ['controller']},
    'kolla_base_distro': 'debian',
    'memcache_secret_key': 'memcache-secret',
    'memcache_security_strategy': 'ENCRYPT',
    'memcached_port': '11211',
    'nova_api_database_host': 'db',
    'nova_api_database_name': 'nova_api',
    'nova_api_database_password': 'x',
    'nova_api_database_user': 'nova_api',
    'openstack_cacert': '',
    'openstack_region_name': 'RegionOne',
    'placement_database_enable_tls_internal': 'no',
    'placement_database_host': 'db',
    'placement_database_name': 'placement',
    'placement_database_user': 'placement',
    'placement_keystone_user': 'placement',
    'placement_logging_debug': 'False',
    'service_name': 'placement-api',
    **given,
}
variables.update({
    'service_uwsgi_config_env': {},
    'service_uwsgi_config_host': variables['api_interface_address'],
    'service_uwsgi_config_http_port': variables['placement_api_listen_port'],
    'service_uwsgi_config_log_dir': 'placement',
    'service_uwsgi_config_log_file': 'placement-api-uwsgi.log',
    'service_uwsgi_config_module': 'placement.wsgi.api:application',
    'service_uwsgi_config_socket_port': '',
    'service_uwsgi_config_tls_backend': variables['placement_enable_tls_backend'],
    'service_uwsgi_config_tls_cert': '/etc/placement/certs/placement-cert.pem',
    'service_uwsgi_config_tls_key': '/etc/placement/certs/placement-key.pem',
    'service_uwsgi_config_uid': 'placement',
    'service_uwsgi_config_worker_timeout': 80,
    'service_uwsgi_config_workers': 5,
})

# As Ansible has it: blocks leave no line behind.
environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader(checkout + '/ansible/roles'), trim_blocks=True, undefined=jinja2.StrictUndefined)
environment.filters['bool'] = lambda value: str(value).lower() in ('1', 'true', 'yes', 'on')
environment.filters['kolla_address'] = lambda network, host: '127.0.0.1'
environment.filters['put_address_in_context'] = lambda address, context: address

templates = {
    'config.json': 'placement/templates/placement-api.json.j2',
    'placement.conf': 'placement/templates/placement.conf.j2',
    'migrate-db.rc': 'placement/templates/migrate-db.rc.j2',
    'placement-api-uwsgi.ini': 'service-uwsgi-config/templates/uwsgi.ini.j2',
}
print(json.dumps({name: environment.get_template(path).render(variables) for name, path in templates.items()}))
