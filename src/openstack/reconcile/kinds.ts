/** Every kind of damage, in the order of repair: first repairs that release, then those that claim, last the providers. */
export const KINDS = {
  'stale-generation': 'a generation of 0 under content that only writes can have made',
  orphaned: 'allocations of a server that Nova does not have',
  'orphaned-deleted': 'allocations of a server that Nova has deleted',
  'orphaned-migration': 'allocations of a migration whose server is gone, or that Nova does not have',
  'finished-migration': 'allocations of a migration that has ended',
  'unreverted-migration':
    'after a failed move the migration holds the host of the server, and the server the other one',
  offloaded: 'allocations of a server that is shelved and offloaded',
  'on-no-host': 'allocations of a server that is on no host',
  doubled: 'allocations on the host of the server and on another one',
  'doubled-after-migration': 'the same, left by a migration',
  'doubled-after-evacuation': 'the same, left by an evacuation',
  'wrong-host': 'all allocations on a host on which the server is not',
  missing: 'a server without allocations',
  'wrong-amount': 'amounts that differ from those of the flavor',
  'missing-class': 'a resource class of the flavor of which the server holds nothing',
  'unrequested-class': 'a resource class that the flavor does not request',
  'wrong-cpu-class': 'VCPU in the place of PCPU, or the other way round',
  'volume-backed-disk': 'the root disk of a server whose root disk is a volume',
  'wrong-child': 'the right amounts on the wrong provider of the tree of the host',
  'wrong-sharing-provider': 'a shared resource of a provider that does not share with the host',
  'wrong-owner': 'another project or user than that of the server',
  'wrong-type': 'another type of consumer than that of a server or a migration',
  'unheld-source': 'a resize that waits for its confirmation holds nothing on its source any more',
  'compute-not-root': 'the provider of a compute is below another provider',
  'renamed-compute': 'the provider of a compute has another name than the compute',
  'disabled-trait-left': 'COMPUTE_STATUS_DISABLED on the provider of a compute that is enabled',
  'disabled-trait-missing': 'no COMPUTE_STATUS_DISABLED on the provider of a compute that is disabled',
  'aggregate-missing': 'the provider of a compute lacks a host aggregate that has the host',
  'aggregate-left': 'the provider of a compute has a host aggregate that lacks the host',
  'lost-inventory': 'the provider of a compute has no inventory of memory or processors',
  'missing-provider': 'a compute without a provider',
  'replaced-compute': 'a provider with the name of a compute, and another uuid',
  'gone-compute': 'a provider of a compute that Nova does not have',
} as const satisfies Record<string, string>

export type Kind = keyof typeof KINDS

export const KIND_NAMES = Object.keys(KINDS) as readonly Kind[]

export const isKind = (name: string): name is Kind => Object.hasOwn(KINDS, name)
