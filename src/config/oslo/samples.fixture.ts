/** Configuration files in the style of Placement's packagers, written for these tests. */

/** A distribution package: one long file, mostly comments; all services on one machine. */
export const packaged = (state: string): string => `[DEFAULT]
#
# From placement.conf
#
# Explicitly specify the temporary working directory. (string value)
#tempdir = <None>
state_path = ${state}
#debug = false

[api]
auth_strategy = keystone

[cors]
#allowed_origin = <None>

[keystone_authtoken]
www_authenticate_uri = http://127.0.0.1:5000
auth_url = http://127.0.0.1:5000
auth_type = password
project_domain_name = Default
user_domain_name = Default
project_name = service
username = placement
password = secret-of-the-package
region_name = regionOne

[oslo_policy]
#policy_file = policy.yaml

[placement]
randomize_allocation_candidates = true

[placement_database]
connection = sqlite:///${state}/placementdb
`

/** A template tool for containers: everything is set, with domain ids, a proxy in front, and logs in a directory. */
export const rendered = (logs: string): string => `[DEFAULT]
debug = False

log_dir = ${logs}
log_file = ${logs}/placement-api.log

state_path = ${logs}

[api]
auth_strategy = keystone

[oslo_middleware]
enable_proxy_headers_parsing = True

[oslo_concurrency]
lock_path = /var/lib/placement/tmp

[placement_database]
connection = postgresql+psycopg2://placement:p%40ss@10.1.0.5:5432/placement
connection_recycle_time = 10
max_pool_size = 1
max_retries = -1

[cache]
backend = oslo_cache.memcache_pool
enabled = True

[keystone_authtoken]
service_type = placement
www_authenticate_uri = https://internal.example.org:5000
auth_url = https://internal.example.org:5000
auth_type = password
project_domain_id = default
user_domain_id = default
project_name = service
username = placement
password = Xy12
cafile = /etc/ssl/certs/ca-certificates.crt
region_name = RegionOne
memcache_security_strategy = ENCRYPT
memcache_secret_key = abc
memcached_servers = 10.1.0.5:11211,10.1.0.6:11211
`

/** A chart that writes all its values, sorted, and configures logs with a Python logging file. */
export const charted = `[DEFAULT]
debug = false
log_config_append = /etc/placement/logging.conf
state_path = /var/lib/placement
use_syslog = false
[keystone_authtoken]
auth_type = password
auth_uri = http://keystone-api.openstack.svc.cluster.local:5000/v3
auth_url = http://keystone-api.openstack.svc.cluster.local:5000/v3
auth_version = v3
memcache_security_strategy = ENCRYPT
memcached_servers = memcached.openstack.svc.cluster.local:11211
password = password
project_domain_name = service
project_name = service
region_name = RegionOne
service_token_roles = service
service_token_roles_required = true
user_domain_name = service
username = placement
[oslo_policy]
policy_file = /etc/placement/policy.yaml
[placement]
randomize_allocation_candidates = true
[placement_database]
connection = postgresql://placement:password@postgresql.openstack.svc.cluster.local:5432/placement
connection_recycle_time = 600
max_retries = -1
`
