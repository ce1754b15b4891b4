// Calls Berth as programs in Go do, with gophercloud: identity, placement, compute and shared file systems.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/aggregates"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/availabilityzones"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/hypervisors"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/servergroups"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/services"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/openstack/identity/v3/users"
	"github.com/gophercloud/gophercloud/openstack/placement/v1/resourceproviders"
	"github.com/gophercloud/gophercloud/openstack/sharedfilesystems/v2/shares"
	"github.com/gophercloud/gophercloud/openstack/sharedfilesystems/v2/sharetypes"
	"github.com/gophercloud/gophercloud/openstack/sharedfilesystems/v2/snapshots"
)

var passed, failed int

// claim goes on after a failure, as the other clients' stories do.
func claim(what string, check func() error) {
	if err := check(); err != nil {
		failed++
		fmt.Printf("  FAILED  %s\n          %v\n", what, err)
		return
	}
	passed++
	fmt.Printf("  ok      %s\n", what)
}

func need(holds bool, format string, args ...interface{}) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func must(client *gophercloud.ServiceClient, err error) *gophercloud.ServiceClient {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return client
}

func main() {
	provider, err := openstack.AuthenticatedClient(gophercloud.AuthOptions{
		IdentityEndpoint: os.Getenv("OS_AUTH_URL"),
		Username:         os.Getenv("OS_USERNAME"),
		Password:         os.Getenv("OS_PASSWORD"),
		DomainName:       "Default",
		TenantName:       os.Getenv("OS_PROJECT_NAME"),
	})
	if err != nil {
		fmt.Println("sign-in:", err)
		os.Exit(1)
	}
	where := gophercloud.EndpointOpts{Region: os.Getenv("OS_REGION_NAME")}
	fmt.Println("identity")
	tellIdentity(must(openstack.NewIdentityV3(provider, where)), provider.Token())
	fmt.Println("placement")
	placement := must(openstack.NewPlacementV1(provider, where))
	placement.Microversion = "1.20"
	tellPlacement(placement)
	fmt.Println("compute")
	tellCompute(must(openstack.NewComputeV2(provider, where)))
	fmt.Println("shared file systems")
	shared := must(openstack.NewSharedFileSystemV2(provider, where))
	shared.Microversion = "2.60"
	tellShares(shared)
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func tellIdentity(client *gophercloud.ServiceClient, token string) {
	claim("a token is valid, with its user, roles and catalog", func() error {
		found := tokens.Get(client, token)
		user, err := found.ExtractUser()
		if err != nil {
			return err
		}
		catalog, err := found.ExtractServiceCatalog()
		if err != nil {
			return err
		}
		return need(user.Name == "admin" && len(catalog.Entries) >= 5, "%v %v", user, catalog)
	})
	claim("projects, users and roles are made, assigned and removed", func() error {
		project, err := projects.Create(client, projects.CreateOpts{Name: "go"}).Extract()
		if err != nil {
			return err
		}
		user, err := users.Create(client, users.CreateOpts{Name: "gopher", Password: "a long pass phrase", DefaultProjectID: project.ID}).Extract()
		if err != nil {
			return err
		}
		pages, err := roles.List(client, roles.ListOpts{Name: "reader"}).AllPages()
		if err != nil {
			return err
		}
		known, err := roles.ExtractRoles(pages)
		if err != nil || len(known) != 1 {
			return fmt.Errorf("roles: %v %v", known, err)
		}
		assign := roles.AssignOpts{UserID: user.ID, ProjectID: project.ID}
		if err := roles.Assign(client, known[0].ID, assign).ExtractErr(); err != nil {
			return err
		}
		if err := roles.Unassign(client, known[0].ID, roles.UnassignOpts(assign)).ExtractErr(); err != nil {
			return err
		}
		if err := users.Delete(client, user.ID).ExtractErr(); err != nil {
			return err
		}
		return projects.Delete(client, project.ID).ExtractErr()
	})
}

func tellPlacement(client *gophercloud.ServiceClient) {
	var id string
	claim("a provider is made, and found by its name", func() error {
		made, err := resourceproviders.Create(client, resourceproviders.CreateOpts{Name: "go-host"}).Extract()
		if err != nil {
			return err
		}
		id = made.UUID
		pages, err := resourceproviders.List(client, resourceproviders.ListOpts{Name: "go-host"}).AllPages()
		if err != nil {
			return err
		}
		found, err := resourceproviders.ExtractResourceProviders(pages)
		return need(err == nil && len(found) == 1 && found[0].UUID == id && found[0].RootProviderUUID == id, "%v %v", found, err)
	})
	claim("providers are found by what they have", func() error {
		pages, err := resourceproviders.List(client, resourceproviders.ListOpts{Resources: "VCPU:1,MEMORY_MB:512"}).AllPages()
		if err != nil {
			return err
		}
		found, err := resourceproviders.ExtractResourceProviders(pages)
		if err != nil || len(found) == 0 {
			return fmt.Errorf("%v %v", found, err)
		}
		inventories, err := resourceproviders.GetInventories(client, found[0].UUID).Extract()
		if err != nil {
			return err
		}
		return need(inventories.Inventories["VCPU"].Total > 0, "%v", inventories)
	})
	claim("usages, inventories and traits of a new provider are empty", func() error {
		usages, err := resourceproviders.GetUsages(client, id).Extract()
		if err != nil {
			return err
		}
		inventories, err := resourceproviders.GetInventories(client, id).Extract()
		if err != nil {
			return err
		}
		traits, err := resourceproviders.GetTraits(client, id).Extract()
		if err != nil {
			return err
		}
		return need(len(usages.Usages)+len(inventories.Inventories)+len(traits.Traits) == 0, "%v %v %v", usages, inventories, traits)
	})
	claim("a provider that is not there is a 404", func() error {
		_, err := resourceproviders.GetUsages(client, "00000000-0000-4000-8000-000000000000").Extract()
		_, isMissing := err.(gophercloud.ErrDefault404)
		return need(isMissing, "%v", err)
	})
}

func tellCompute(client *gophercloud.ServiceClient) {
	claim("a flavor has extra specs and access, and goes", func() error {
		disk, isPublic := 5, false
		made, err := flavors.Create(client, flavors.CreateOpts{Name: "go.small", RAM: 512, VCPUs: 1, Disk: &disk, IsPublic: &isPublic}).Extract()
		if err != nil {
			return err
		}
		if _, err := flavors.CreateExtraSpecs(client, made.ID, flavors.ExtraSpecsOpts{"hw:cpu_policy": "dedicated"}).Extract(); err != nil {
			return err
		}
		if _, err := flavors.UpdateExtraSpec(client, made.ID, flavors.ExtraSpecsOpts{"hw:cpu_policy": "shared"}).Extract(); err != nil {
			return err
		}
		specs, err := flavors.ListExtraSpecs(client, made.ID).Extract()
		if err != nil || specs["hw:cpu_policy"] != "shared" {
			return fmt.Errorf("%v %v", specs, err)
		}
		if err := flavors.DeleteExtraSpec(client, made.ID, "hw:cpu_policy").ExtractErr(); err != nil {
			return err
		}
		pages, err := flavors.ListDetail(client, flavors.ListOpts{AccessType: flavors.AllAccess}).AllPages()
		if err != nil {
			return err
		}
		all, err := flavors.ExtractFlavors(pages)
		if err != nil || len(all) < 2 {
			return fmt.Errorf("%v %v", all, err)
		}
		return flavors.Delete(client, made.ID).ExtractErr()
	})
	var host string
	claim("hypervisors are listed with their sizes", func() error {
		pages, err := hypervisors.List(client).AllPages()
		if err != nil {
			return err
		}
		found, err := hypervisors.ExtractHypervisors(pages)
		if err != nil || len(found) == 0 {
			return fmt.Errorf("%v %v", found, err)
		}
		host = found[0].Service.Host
		one, err := hypervisors.Get(client, found[0].ID).Extract()
		if err != nil {
			return err
		}
		sum, err := hypervisors.GetStatistics(client).Extract()
		enabled := 0
		for _, hypervisor := range found {
			if hypervisor.Status == "enabled" {
				enabled++
			}
		}
		return need(err == nil && one.VCPUs > 0 && sum.Count == enabled, "%v %v %v", one, sum, err)
	})
	claim("an aggregate takes a host and metadata", func() error {
		made, err := aggregates.Create(client, aggregates.CreateOpts{Name: "go-rack"}).Extract()
		if err != nil {
			return err
		}
		if _, err := aggregates.AddHost(client, made.ID, aggregates.AddHostOpts{Host: host}).Extract(); err != nil {
			return err
		}
		if _, err := aggregates.SetMetadata(client, made.ID, aggregates.SetMetadataOpts{Metadata: map[string]interface{}{"ssd": "true"}}).Extract(); err != nil {
			return err
		}
		found, err := aggregates.Get(client, made.ID).Extract()
		if err != nil || len(found.Hosts) != 1 || found.Metadata["ssd"] != "true" {
			return fmt.Errorf("%v %v", found, err)
		}
		if _, err := aggregates.RemoveHost(client, made.ID, aggregates.RemoveHostOpts{Host: host}).Extract(); err != nil {
			return err
		}
		return aggregates.Delete(client, made.ID).ExtractErr()
	})
	claim("services and zones are listed", func() error {
		pages, err := services.List(client, nil).AllPages()
		if err != nil {
			return err
		}
		found, err := services.ExtractServices(pages)
		if err != nil || len(found) == 0 {
			return fmt.Errorf("%v %v", found, err)
		}
		pages, err = availabilityzones.List(client).AllPages()
		if err != nil {
			return err
		}
		zones, err := availabilityzones.ExtractAvailabilityZones(pages)
		return need(err == nil && len(zones) > 0, "%v %v", zones, err)
	})
	claim("a server group is made, listed and removed", func() error {
		made, err := servergroups.Create(client, servergroups.CreateOpts{Name: "go-group", Policies: []string{"anti-affinity"}}).Extract()
		if err != nil {
			return err
		}
		found, err := servergroups.Get(client, made.ID).Extract()
		if err != nil || found.Policies[0] != "anti-affinity" {
			return fmt.Errorf("%v %v", found, err)
		}
		return servergroups.Delete(client, made.ID).ExtractErr()
	})
}

func tellShares(client *gophercloud.ServiceClient) {
	claim("share types are listed with their extra specs", func() error {
		pages, err := sharetypes.List(client, nil).AllPages()
		if err != nil {
			return err
		}
		types, err := sharetypes.ExtractShareTypes(pages)
		if err != nil || len(types) == 0 {
			return fmt.Errorf("%v %v", types, err)
		}
		specs, err := sharetypes.GetExtraSpecs(client, types[0].ID).Extract()
		return need(err == nil && specs["driver_handles_share_servers"] == "False", "%v %v", specs, err)
	})
	claim("a share is made, extended, described, snapshotted and removed", func() error {
		pages, err := sharetypes.List(client, nil).AllPages()
		if err != nil {
			return err
		}
		types, err := sharetypes.ExtractShareTypes(pages)
		if err != nil || len(types) == 0 {
			return fmt.Errorf("%v %v", types, err)
		}
		made, err := shares.Create(client, shares.CreateOpts{Name: "go", ShareProto: "NFS", Size: 1, ShareType: types[0].ID, Metadata: map[string]string{"a": "b"}}).Extract()
		if err != nil {
			return err
		}
		share, err := waitFor(client, made.ID)
		if err != nil {
			return err
		}
		if err := shares.Extend(client, share.ID, shares.ExtendOpts{NewSize: 2}).ExtractErr(); err != nil {
			return err
		}
		if share, err = waitFor(client, made.ID); err != nil || share.Size != 2 {
			return fmt.Errorf("%v %v", share, err)
		}
		metadata, err := shares.GetMetadata(client, share.ID).Extract()
		if err != nil || metadata["a"] != "b" {
			return fmt.Errorf("%v %v", metadata, err)
		}
		snapshot, err := snapshots.Create(client, snapshots.CreateOpts{ShareID: share.ID, Name: "go"}).Extract()
		if err != nil {
			return err
		}
		for tries := 0; tries < 100 && snapshot.Status == "creating"; tries++ {
			time.Sleep(50 * time.Millisecond)
			if snapshot, err = snapshots.Get(client, snapshot.ID).Extract(); err != nil {
				return err
			}
		}
		if err := snapshots.Delete(client, snapshot.ID).ExtractErr(); err != nil {
			return err
		}
		for tries := 0; tries < 100; tries++ {
			if _, err := snapshots.Get(client, snapshot.ID).Extract(); err != nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		return shares.Delete(client, share.ID).ExtractErr()
	})
}

func waitFor(client *gophercloud.ServiceClient, id string) (*shares.Share, error) {
	for tries := 0; tries < 200; tries++ {
		share, err := shares.Get(client, id).Extract()
		if err != nil || share.Status == "available" {
			return share, err
		}
		if share.Status == "error" {
			return nil, fmt.Errorf("the share is in error")
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, fmt.Errorf("the share is not available")
}
