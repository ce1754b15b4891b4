import type { ConsumerFields } from '../../placement/transfer/lines.ts'
import { expectResources } from './expected.ts'
import { changeConsumer, type Repair } from './finding.ts'
import { judgeAmounts } from './judge-amounts.ts'
import { type Judgement, serverSubject, serverText, withoutProviders } from './judgement.ts'
import type { Kind } from './kinds.ts'
import { findMotion, isEnded, type NovaServer } from './nova-state.ts'
import { placeOn } from './placing.ts'
import { type Held, heldText, isSharing } from './trees.ts'

/** Compares the allocations of a server with its state in Nova. */
export function judgeServer(judgement: Judgement, server: NovaServer): void {
  const motion = findMotion(server, judgement.migrationsOf(server.id))
  if (motion !== null) {
    judgement.leave(serverSubject(server), motion)
    return
  }
  const consumer = judgement.consumer(server.id)
  if (consumer !== undefined) judgeOwner(judgement, server, consumer)
  if (server.host === null) {
    judgeHostless(judgement, server, consumer)
    return
  }
  const compute = judgement.computeOf(server)
  if (compute === undefined) {
    judgement.leave(serverSubject(server), `Nova lists no compute ${server.node} for it`)
    return
  }
  if (!judgement.trees.ledger.providers.has(compute.id)) {
    judgement.leave(serverSubject(server), `its compute ${compute.name} has no provider`)
    return
  }
  const root = judgement.trees.rootOf(compute.id)
  if (consumer === undefined) {
    findMissing(judgement, server, root)
    return
  }
  judgeHost(judgement, server, consumer, root)
}

function judgeOwner(judgement: Judgement, server: NovaServer, consumer: ConsumerFields): void {
  const { project_id, user_id, consumer_type } = consumer
  const base = { subject: serverSubject(server) }
  if (project_id !== server.projectId || user_id !== server.userId) {
    const after = { ...consumer, project_id: server.projectId, user_id: server.userId }
    judgement.find({
      ...base,
      kind: 'wrong-owner',
      nova: `server ${server.name} belongs to project ${server.projectId}, user ${server.userId}`,
      ledger: `its allocations belong to project ${project_id}, user ${user_id}`,
      remedy: 'Give the allocations to the project and user of the server; usage and quotas follow.',
      command: judgement.setCommand(after),
      repair: changeConsumer(consumer, after),
    })
  }
  if (consumer_type !== null && consumer_type !== 'INSTANCE') {
    const after = { ...consumer, consumer_type: 'INSTANCE' }
    judgement.find({
      ...base,
      kind: 'wrong-type',
      nova: `${server.id} is a server`,
      ledger: `the consumer has type ${consumer_type}`,
      remedy: 'Set the type of the consumer to INSTANCE.',
      command: judgement.setCommand(after),
      repair: changeConsumer(consumer, after),
    })
  }
}

function judgeHostless(judgement: Judgement, server: NovaServer, consumer: ConsumerFields | undefined): void {
  const held = judgement.heldOfComputes(consumer)
  if (consumer === undefined || held.length === 0) return
  const isOffloaded = server.vmState === 'shelved_offloaded'
  judgement.find({
    kind: isOffloaded ? 'offloaded' : 'on-no-host',
    subject: serverSubject(server),
    nova: serverText(server),
    ledger: `it holds ${heldText(held)}`,
    remedy: isOffloaded
      ? 'Delete the allocations: unshelving schedules the server anew.'
      : 'Delete the allocations: nothing runs there.',
    command: `berth allocation delete ${server.id}`,
    repair: changeConsumer(consumer, null),
  })
}

function findMissing(judgement: Judgement, server: NovaServer, root: string): void {
  if (server.vmState === 'error' && !server.wasLaunched) {
    judgement.leave(serverSubject(server), 'it is in error and was never launched')
    return
  }
  const expected = expectResources(server)
  const placing =
    'unknown' in expected ? { reason: expected.unknown } : placeOn(judgement.trees, root, expected)
  const after = 'reason' in placing ? null : newConsumer(judgement, server, placing.allocations)
  judgement.find({
    kind: 'missing',
    subject: serverSubject(server),
    nova: serverText(server),
    ledger: 'it holds nothing',
    remedy:
      'reason' in placing
        ? `Set its allocations by hand: ${placing.reason}.`
        : 'Give it the allocations of its flavor: the scheduler takes its room for free.',
    command:
      after === null
        ? `nova-manage placement heal_allocations --instance ${server.id}`
        : judgement.setCommand(after),
    repair: after === null ? null : changeConsumer(null, after),
  })
}

const newConsumer = (
  { hasServerTypes }: Judgement,
  server: NovaServer,
  allocations: ConsumerFields['allocations'],
): ConsumerFields => ({
  uuid: server.id,
  generation: 1,
  project_id: server.projectId,
  user_id: server.userId,
  consumer_type: hasServerTypes ? 'INSTANCE' : null,
  allocations,
})

function judgeHost(judgement: Judgement, server: NovaServer, consumer: ConsumerFields, root: string): void {
  const held = judgement.trees.heldBy(consumer)
  const own = held.filter(one => one.root === root)
  const elsewhere = held.filter(
    one => one.root !== root && !isSharing(one.provider) && judgement.isComputeTree(one.root),
  )
  if (own.length === 0 && elsewhere.length === 0) {
    judgement.leave(serverSubject(server), `it holds only ${heldText(held)}, which is of no compute`)
    return
  }
  if (own.length === 0) {
    findWrongHost(judgement, server, consumer, root, elsewhere)
    return
  }
  if (elsewhere.length > 0) findDoubled(judgement, server, consumer, elsewhere)
  judgeAmounts(judgement, { server, consumer, root, held: held.filter(one => !elsewhere.includes(one)) })
}

function findWrongHost(
  judgement: Judgement,
  server: NovaServer,
  consumer: ConsumerFields,
  root: string,
  elsewhere: readonly Held[],
): void {
  const swapped = findSwapped(judgement, server, consumer, root)
  if (swapped !== null) {
    swapped()
    return
  }
  const { trees } = judgement
  const expected = expectResources(server)
  const placing =
    'unknown' in expected
      ? { reason: expected.unknown }
      : placeOn(trees, root, expected, trees.heldBy(consumer))
  const others = elsewhere.flatMap(({ resources }) =>
    Object.keys(resources).filter(name => !('unknown' in expected) && !expected.totals.has(name)),
  )
  const reason =
    'reason' in placing
      ? placing.reason
      : others.length > 0
        ? `it also holds ${others.join(', ')}, which its flavor does not explain`
        : null
  const kept = withoutProviders(consumer, new Set(elsewhere.map(({ provider }) => provider.uuid)))
  const after =
    reason !== null || 'reason' in placing
      ? null
      : { ...consumer, allocations: { ...keptShared(kept, placing.allocations), ...placing.allocations } }
  judgement.find({
    kind: 'wrong-host',
    subject: serverSubject(server),
    nova: serverText(server),
    ledger: `it holds ${heldText(elsewhere)}`,
    remedy:
      after === null
        ? `Move its allocations to ${server.node} by hand: ${reason}.`
        : `Move its allocations to ${server.node}.`,
    command: after === null ? `berth allocation show ${server.id}` : judgement.setCommand(after),
    repair: after === null ? null : changeConsumer(consumer, after),
  })
}

/** What it keeps besides, without classes that the new place has: a shared disk is not taken twice. */
function keptShared(
  kept: ConsumerFields | null,
  placed: ConsumerFields['allocations'],
): ConsumerFields['allocations'] {
  const classes = new Set(Object.values(placed).flatMap(({ resources }) => Object.keys(resources)))
  return Object.fromEntries(
    Object.entries(kept?.allocations ?? {}).flatMap(([uuid, { resources }]) => {
      const left = Object.entries(resources).filter(([name]) => !classes.has(name))
      return left.length === 0 ? [] : [[uuid, { resources: Object.fromEntries(left) }]]
    }),
  )
}

/** A move that failed and was not rolled back: the migration holds the allocations of the server. */
function findSwapped(
  judgement: Judgement,
  server: NovaServer,
  consumer: ConsumerFields,
  root: string,
): (() => void) | null {
  for (const migration of judgement.endedMigrationsOf(server.id)) {
    const holder = judgement.consumer(migration.uuid)
    if (holder === undefined || !judgement.trees.heldBy(holder).some(one => one.root === root)) continue
    const after = { ...consumer, allocations: holder.allocations }
    const repair: Repair = {
      of: 'consumers',
      changes: [
        { before: holder, after: null },
        { before: consumer, after },
      ],
    }
    return () =>
      judgement.find({
        kind: 'unreverted-migration',
        subject: serverSubject(server),
        nova: `${serverText(server)}; its ${migration.type} ${migration.id} to ${migration.destNode} is ${migration.status}`,
        ledger:
          `it holds ${heldText(judgement.trees.heldBy(consumer))}, ` +
          `and the migration ${heldText(judgement.trees.heldBy(holder))}`,
        remedy: 'Give the server what the migration holds, and delete the allocations of the migration.',
        command: `berth allocation delete ${migration.uuid} && ${judgement.setCommand(after)}`,
        repair,
      })
  }
  return null
}

function findDoubled(
  judgement: Judgement,
  server: NovaServer,
  consumer: ConsumerFields,
  elsewhere: readonly Held[],
): void {
  const names = new Set(elsewhere.map(({ root }) => judgement.nameTree(root)))
  const cause = judgement
    .migrationsOf(server.id)
    .findLast(one => isEnded(one) && (names.has(one.sourceNode ?? '') || names.has(one.destNode ?? '')))
  // The source of an evacuation lets go when its nova-compute starts again, and only then the migration is completed.
  if (cause?.type === 'evacuation' && cause.status === 'done' && names.has(cause.sourceNode ?? '')) {
    judgement.leave(
      serverSubject(server),
      `it was evacuated: ${cause.sourceNode} lets go of it when its nova-compute starts`,
    )
    return
  }
  const kind: Kind =
    cause === undefined
      ? 'doubled'
      : cause.type === 'evacuation'
        ? 'doubled-after-evacuation'
        : 'doubled-after-migration'
  const after = withoutProviders(consumer, new Set(elsewhere.map(({ provider }) => provider.uuid)))
  judgement.find({
    kind,
    subject: serverSubject(server),
    nova:
      serverText(server) +
      (cause === undefined
        ? '; no migration is running'
        : `; its ${cause.type} ${cause.id} from ${cause.sourceNode} to ${cause.destNode} is ${cause.status}`),
    ledger: `besides what it holds there, it holds ${heldText(elsewhere)}`,
    remedy: `Let go of ${[...names].join(', ')}: the room there is lost to others.`,
    command: after === null ? null : judgement.setCommand(after),
    repair: changeConsumer(consumer, after),
  })
}
