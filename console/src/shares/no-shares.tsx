import { Link } from 'wouter'
import { berthCommands } from '../berth-commands.ts'
import { Empty, Loading } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { useIsAdmin, useTypes, useZones } from './use-shares.ts'

const BACKENDS = `{
  "host": "farm",
  "default_share_type": "default",
  "share_types": [{"name": "default", "extra_specs": {"snapshot_support": "True"}}],
  "backends": [
    {"name": "alpha", "driver": "directory", "root": "/srv/alpha",
     "pools": [{"name": "a1", "total_gb": 100}]}
  ]
}`

/** What is missing, in the order of creation: back ends, types, shares. */
export function NoShares({ inBin }: { readonly inBin: boolean }) {
  if (inBin)
    return (
      <Empty title="The bin is empty">
        A share that is put into the bin keeps its place and its data for some days, and can be taken out
        again.
      </Empty>
    )
  return <WhatIsMissing fallback={<FirstShare />} />
}

/** Explains what must exist before a share can be created; the fallback if it does. */
export function WhatIsMissing({ fallback }: { readonly fallback: React.ReactNode }) {
  const isAdmin = useIsAdmin()
  const zones = useZones()
  const types = useTypes()
  if (zones.data === undefined || types.data === undefined)
    return zones.error === null && types.error === null ? <Loading what="back ends and types" /> : fallback
  if (zones.data.length === 0)
    return isAdmin ? (
      <Empty title="There is no share back end yet" command={BACKENDS}>
        A share needs a back end with a pool to be in. Write them into <code>backends.json</code> in the data
        directory and start the server again, or give the same object to{' '}
        <code>{berthCommands.applyCloud()}</code> as <code>shares</code>. The driver <code>simulated</code>{' '}
        stores nothing, for a first look.
      </Empty>
    ) : (
      <Empty title="There is no share back end yet">
        Shares need a place to be in, and this cloud has none so far. An admin of the cloud can declare one.
      </Empty>
    )
  if (types.data.length === 0)
    return isAdmin ? (
      <Empty
        title="There is no share type yet"
        command={'openstack share type create default false --extra-specs snapshot_support=True'}
      >
        Every share has a type, which says what its pool must be able to do. Make one, or name them in{' '}
        <code>backends.json</code> under <code>share_types</code>.
      </Empty>
    ) : (
      <Empty title="There is no share type for you yet">
        Every share has a type, and none is public or given to your project. An admin of the cloud can do
        that.
      </Empty>
    )
  return fallback
}

function FirstShare() {
  const { may } = useSession()
  if (!may('share:create'))
    return (
      <Empty title="No share yet">
        Your project has none, and no other project shows you one. Members of the project can make one.
      </Empty>
    )
  return (
    <Empty
      title="No share yet"
      command={'openstack share create NFS 10 --name first'}
      action={<Link href="/shares/new">Make the first one</Link>}
    >
      A share is a file system of a size, in a pool of a back end. Say which shares it has to be near, or away
      from, and the scheduler finds the place; nobody has to name a host.
    </Empty>
  )
}
