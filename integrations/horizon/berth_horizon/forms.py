"""manila-ui's form of a new share, with the shares that it has to be near or away from."""
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from horizon import exceptions
from horizon import forms
from horizon import messages
from manila_ui.api import manila
from manila_ui.dashboards.project.shares import forms as share_forms
from manila_ui.dashboards import utils
from manilaclient import client as manila_client
from manilaclient.common.apiclient import exceptions as m_exceptions
from openstack_dashboard.api import base

# manila-ui speaks 2.46; scheduler hints came with this version.
HINTS_VERSION = "2.65"


def share_client(request):
    url = base.url_for(request, manila.MANILA_SERVICE_TYPE)
    client = manila_client.Client(
        HINTS_VERSION,
        username=request.user.username,
        input_auth_token=request.user.token.id,
        project_id=request.user.tenant_id,
        service_catalog_url=url,
        insecure=getattr(settings, "OPENSTACK_SSL_NO_VERIFY", False),
        cacert=getattr(settings, "OPENSTACK_SSL_CACERT", None),
        http_log_debug=settings.DEBUG,
        user_agent=manila.MANILA_UI_USER_AGENT_REPR,
    )
    client.client.auth_token = request.user.token.id
    client.client.management_url = url
    return client


class CreateForm(share_forms.CreateForm):
    keep_near = forms.MultipleChoiceField(
        label=_("Keep near"), required=False,
        help_text=_("On the same back end as all of these shares."))
    keep_away = forms.MultipleChoiceField(
        label=_("Keep away"), required=False,
        help_text=_("On another back end than each of these shares."))

    def __init__(self, request, *args, **kwargs):
        super().__init__(request, *args, **kwargs)
        try:
            shares = manila.share_list(request)
        except Exception:
            shares = []
            exceptions.handle(request, _("Unable to retrieve share list."))
        choices = [(one.id, one.name or one.id) for one in shares]
        for name in ("keep_near", "keep_away"):
            self.fields[name].choices = choices
        # There are no share groups.
        self.fields.pop("sg", None)

    def clean(self):
        data = super().clean()
        both = set(data.get("keep_near", [])) & set(data.get("keep_away", []))
        if both:
            names = dict(self.fields["keep_near"].choices)
            raise ValidationError(
                _("No share can be near and away from the same: %s")
                % ", ".join(sorted(names[one] for one in both)))
        return data

    def handle(self, request, data):
        hints = {"same_host": ",".join(data.pop("keep_near", [])),
                 "different_host": ",".join(data.pop("keep_away", []))}
        hints = {key: value for key, value in hints.items() if value}
        if not hints:
            return super().handle(request, data)
        try:
            return self.create_with(request, data, hints)
        except ValidationError as error:
            self.api_error(error.messages[0])
        except m_exceptions.BadRequest as error:
            self.api_error(_("Unable to create share. %s") % error.message)
        except Exception:
            exceptions.handle(request, ignore=True)
            self.api_error(_("Unable to create share."))
        return False

    def create_with(self, request, data, hints):
        metadata, unset = utils.parse_str_meta(data["metadata"])
        if unset:
            raise ValidationError(_("Expected only pairs of key=value."))
        has_source = data.get("share_source_type") in (None, "snapshot")
        share = share_client(request).shares.create(
            data["share_proto"], int(data["size"]),
            name=data["name"], description=data["description"],
            metadata=metadata,
            snapshot_id=(data.get("snapshot") or None) if has_source else None,
            share_network=data.get("share_network"),
            share_type=utils.transform_dashed_name(data["share_type"]),
            is_public=self.enable_public_shares and data["is_public"],
            availability_zone=data.get("availability_zone") or None,
            scheduler_hints=hints)
        messages.success(request, _('Creating share "%s"') % data["name"])
        return share
