# Horizon and manila-ui on Berth. Read after Debian's own files of this directory.

# Berth signs users in itself; with an external Keystone, name that.
OPENSTACK_KEYSTONE_URL = "http://127.0.0.1:8778/identity/v3"

# There is no network service to ask for quotas.
OPENSTACK_NEUTRON_NETWORK["enable_quotas"] = False

# What Berth's shares have. Its directory driver exports NFS.
OPENSTACK_MANILA_FEATURES.update({
    "enable_share_groups": False,
    "enable_replication": False,
    "enabled_share_protocols": ["NFS", "CIFS"],
})

# "Keep near" and "Keep away" for new shares; no panels of what Berth lacks.
HORIZON_CONFIG["customization_module"] = "berth_horizon.overrides"
