"""Horizon's customization module: adds hints for new shares, removes panels of services that Berth lacks."""
import horizon
from manila_ui.dashboards.project.shares import views

from berth_horizon import forms

ABSENT = {
    "project": ("images", "key_pairs", "share_networks", "security_services",
                "share_groups", "share_group_snapshots"),
    "admin": ("images", "share_networks", "security_services",
              "share_servers", "share_instances", "share_groups",
              "share_group_snapshots", "share_group_types"),
    "identity": ("groups",),
}

for dashboard_name, panels in ABSENT.items():
    dashboard = horizon.get_dashboard(dashboard_name)
    for name in panels:
        dashboard.unregister(type(dashboard.get_panel(name)))

views.CreateView.form_class = forms.CreateForm
