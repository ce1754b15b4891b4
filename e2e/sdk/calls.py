"""Calls Berth as programs in Python do, with openstacksdk: placement, compute, shared file systems, metadata definitions."""
import sys
import time
import traceback
import uuid

import openstack

# Without a version, Manila's oldest is meant, which has few of these paths.
conn = openstack.connect(
    load_yaml_config=False, load_envvars=True, shared_file_system_default_microversion='2.60')
counts = {'passed': 0, 'failed': 0}


def claim(what):
    """Runs the function at once; the next one runs also after a failure."""
    def run(check):
        try:
            check()
            counts['passed'] += 1
            print(f'  ok      {what}')
        except Exception:
            counts['failed'] += 1
            print(f'  FAILED  {what}\n{traceback.format_exc()}')
    return run


def wait_until(check, seconds=10):
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, 'it did not come in time'
        time.sleep(0.05)


print('placement')


@claim('a provider is made, found, renamed and removed')
def _():
    name = f'sdk-{uuid.uuid4()}'
    made = conn.placement.create_resource_provider(name=name)
    assert conn.placement.find_resource_provider(name).id == made.id
    assert conn.placement.update_resource_provider(made, name=f'{name}-b').name == f'{name}-b'
    assert [one.id for one in conn.placement.resource_providers(name=f'{name}-b')] == [made.id]
    conn.placement.delete_resource_provider(made)
    assert conn.placement.find_resource_provider(f'{name}-b') is None


@claim('a resource class is made, listed and removed')
def _():
    conn.placement.create_resource_class(name='CUSTOM_SDK')
    assert conn.placement.get_resource_class('CUSTOM_SDK').name == 'CUSTOM_SDK'
    assert {'CUSTOM_SDK', 'VCPU'} <= {one.name for one in conn.placement.resource_classes()}
    conn.placement.delete_resource_class('CUSTOM_SDK')


@claim('candidates, traits and an allocation are asked for through the adapter')
def _():
    headers = {'OpenStack-API-Version': 'placement 1.39'}
    found = conn.placement.get(
        '/allocation_candidates', params={'resources': 'VCPU:1', 'limit': 3}, headers=headers).json()
    assert len(found['allocation_requests']) == 3
    body = dict(found['allocation_requests'][0], project_id='p', user_id='u', consumer_generation=None,
                consumer_type='INSTANCE')
    consumer = str(uuid.uuid4())
    answer = conn.placement.put(f'/allocations/{consumer}', json=body, headers=headers)
    assert answer.status_code == 204, answer.text
    assert conn.placement.delete(f'/allocations/{consumer}', headers=headers).status_code == 204
    assert 'HW_CPU_X86_AVX2' in conn.placement.get('/traits', headers=headers).json()['traits']


print('compute')


@claim('a flavor has extra specs and access')
def _():
    flavor = conn.compute.create_flavor(name='sdk.small', ram=512, vcpus=1, disk=5, is_public=False)
    conn.compute.create_flavor_extra_specs(flavor, {'hw:cpu_policy': 'dedicated'})
    conn.compute.update_flavor_extra_specs_property(flavor, 'hw:cpu_policy', 'shared')
    assert conn.compute.fetch_flavor_extra_specs(flavor).extra_specs == {'hw:cpu_policy': 'shared'}
    conn.compute.delete_flavor_extra_specs_property(flavor, 'hw:cpu_policy')
    project = conn.current_project_id
    conn.compute.flavor_add_tenant_access(flavor, project)
    assert [one['tenant_id'] for one in conn.compute.get_flavor_access(flavor)] == [project]
    conn.compute.flavor_remove_tenant_access(flavor, project)
    assert conn.compute.find_flavor('sdk.small').id == flavor.id
    assert len(list(conn.compute.flavors(details=True))) > 2
    conn.compute.delete_flavor(flavor)


@claim('an aggregate takes a host and metadata')
def _():
    host = next(iter(conn.compute.hypervisors(details=True))).service_details['host']
    aggregate = conn.compute.create_aggregate(name='sdk-rack')
    conn.compute.add_host_to_aggregate(aggregate, host)
    conn.compute.set_aggregate_metadata(aggregate, {'ssd': 'true'})
    found = conn.compute.get_aggregate(aggregate)
    assert found.hosts == [host] and found.metadata == {'ssd': 'true'}, found
    conn.compute.remove_host_from_aggregate(aggregate, host)
    conn.compute.delete_aggregate(aggregate)


@claim('hypervisors, services and zones are listed')
def _():
    hypervisors = list(conn.compute.hypervisors(details=True))
    assert len(hypervisors) > 10
    assert conn.compute.get_hypervisor(hypervisors[0]).name == hypervisors[0].name
    assert len(list(conn.compute.services())) >= len(hypervisors)
    assert len(list(conn.compute.availability_zones())) > 1


@claim('a service is disabled and enabled')
def _():
    service = next(iter(conn.compute.services()))
    assert conn.compute.disable_service(service, service.host, service.binary, 'sdk').status == 'disabled'
    assert conn.compute.enable_service(service, service.host, service.binary).status == 'enabled'


@claim('a server group is made, found and removed')
def _():
    group = conn.compute.create_server_group(name='sdk', policy='anti-affinity')
    assert conn.compute.find_server_group('sdk').policy == 'anti-affinity'
    assert [one.id for one in conn.compute.server_groups()] == [group.id]
    conn.compute.delete_server_group(group)


print('shared file systems')


@claim('a share is made, renamed, snapshotted and removed')
def _():
    kind = conn.shared_file_system.get('/types').json()['share_types'][0]['id']
    share = conn.shared_file_system.create_share(share_protocol='NFS', size=1, name='sdk', share_type=kind)
    conn.shared_file_system.wait_for_status(share, status='available', failures=['error'], interval=0.05, wait=10)
    assert conn.shared_file_system.update_share(share, name='sdk-b').name == 'sdk-b'
    assert 'sdk-b' in [one.name for one in conn.shared_file_system.shares()]
    snapshot = conn.shared_file_system.create_share_snapshot(share_id=share.id, name='sdk')
    wait_until(lambda: conn.shared_file_system.get_share_snapshot(snapshot).status == 'available')
    assert [one.id for one in conn.shared_file_system.share_snapshots()] == [snapshot.id]
    conn.shared_file_system.delete_share_snapshot(snapshot)
    wait_until(lambda: list(conn.shared_file_system.share_snapshots()) == [])
    conn.shared_file_system.delete_share(share)
    wait_until(lambda: 'sdk-b' not in [one.name for one in conn.shared_file_system.shares()])


@claim('zones, limits and messages are listed')
def _():
    assert list(conn.shared_file_system.availability_zones())
    assert len(list(conn.shared_file_system.limits())) == 1
    # The class of the SDK looks one level too high for the figures.
    assert conn.shared_file_system.get('/limits').json()['limits']['absolute']['maxTotalShares'] > 0
    list(conn.shared_file_system.user_messages())


@claim('pools are listed')
def _():
    pools = list(conn.shared_file_system.storage_pools(details=True))
    assert pools and pools[0].capabilities['total_capacity_gb'] > 0


print('metadata definitions')


# This version of openstacksdk has no calls of its own for them: its image client asks by path.
@claim('a namespace with a property and an object is made, listed and removed')
def _():
    image = conn.image
    answer = image.post('/metadefs/namespaces', json={'namespace': 'OS::SDK', 'display_name': 'SDK'})
    assert answer.status_code == 201, answer.text
    answer = image.post('/metadefs/namespaces/OS::SDK/properties',
                        json={'name': 'ssd', 'title': 'SSD', 'type': 'boolean'})
    assert answer.status_code == 201, answer.text
    answer = image.post('/metadefs/namespaces/OS::SDK/objects', json={'name': 'disk', 'properties': {}})
    assert answer.status_code == 201, answer.text
    shown = image.get('/metadefs/namespaces/OS::SDK').json()
    assert [one['name'] for one in shown['objects']] == ['disk'] and 'ssd' in shown['properties'], shown
    listed = image.get('/metadefs/namespaces', params={'limit': 1000}).json()['namespaces']
    assert 'OS::SDK' in [one['namespace'] for one in listed]
    assert image.delete('/metadefs/namespaces/OS::SDK').status_code == 204
    assert image.get('/metadefs/namespaces/OS::SDK').status_code == 404


@claim('the schemas and resource types are there')
def _():
    assert conn.image.get('/schemas/metadefs/namespace').json()['name'] == 'namespace'
    assert conn.image.get('/metadefs/resource_types').json()['resource_types']


print(f"{counts['passed']} passed, {counts['failed']} failed")
sys.exit(1 if counts['failed'] else 0)
