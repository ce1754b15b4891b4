import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Flavor } from '../../../src/wire/openstack-compute.ts'
import { changeFlavorAccess, readFlavorAccess } from '../api/compute.ts'
import { ChipList } from '../controls/chip-list.tsx'
import { Panel, Waiting } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'

const RULE = 'os_compute_api:os-flavor-access'

/** Which projects may use a private flavor. */
export function FlavorAccess({ flavor }: { readonly flavor: Flavor }) {
  const { may, whyNot } = useSession()
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: ['flavors', flavor.id, 'access'],
    queryFn: () => readFlavorAccess(flavor.id),
    enabled: may(RULE),
  })
  const why = whyNot(RULE)
  return (
    <Panel title="Projects that may order it">
      {why !== null ? (
        <p className="soft">Who they are is not shown. {why}</p>
      ) : query.data === undefined ? (
        <Waiting query={query} what="who has access" />
      ) : (
        <ChipList
          label="Projects with access"
          names={query.data}
          empty="None yet: only admins see it."
          removing={{
            label: name => `Take access from ${name}`,
            whyNot: whyNot(`${RULE}:remove_tenant_access`),
          }}
          adding={{
            label: 'Project id',
            submit: 'Give access',
            whyNot: whyNot(`${RULE}:add_tenant_access`),
            whyEmpty: 'Name a project first.',
          }}
          onChange={(name, isIn) => changeFlavorAccess(flavor.id, name, isIn)}
          onDone={() => queries.invalidateQueries({ queryKey: ['flavors'] })}
        />
      )}
    </Panel>
  )
}
