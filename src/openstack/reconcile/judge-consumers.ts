import type { ConsumerFields } from '../../placement/transfer/lines.ts'
import { expectResources } from './expected.ts'
import { changeConsumer, type Subject } from './finding.ts'
import { type Judgement, serverSubject } from './judgement.ts'
import type { Kind } from './kinds.ts'
import { findMotion, isEnded, type NovaMigration, type NovaServer } from './nova-state.ts'
import { placeOn } from './placing.ts'
import { type Held, heldText } from './trees.ts'

/** Judges every consumer that is no server of Nova; a step for each. */
export function* judgeConsumers(judgement: Judgement): Generator<void> {
  const migrations = new Map(judgement.nova.migrations.map(one => [one.uuid, one]))
  for (const { uuid } of judgement.trees.ledger.consumers.values()) {
    yield
    const consumer = judgement.consumer(uuid)
    if (consumer === undefined || judgement.nova.servers.has(uuid)) continue
    const migration = migrations.get(uuid)
    if (migration !== undefined) judgeMigration(judgement, consumer, migration)
    else judgeStranger(judgement, consumer)
  }
}

/** Collects consumers that may be those of deleted servers; a step for each consumer. */
export function* collectStrangers(judgement: Judgement, found: string[]): Generator<void> {
  const migrations = new Set(judgement.nova.migrations.map(({ uuid }) => uuid))
  for (const one of judgement.trees.ledger.consumers.values()) {
    yield
    if (judgement.nova.servers.has(one.uuid) || migrations.has(one.uuid)) continue
    if (one.consumer_type === 'INSTANCE' || looksLikeServer(judgement, one)) found.push(one.uuid)
  }
}

const SERVER_CLASSES = ['VCPU', 'PCPU', 'MEMORY_MB']

/** It has no type, and holds processors or memory of a compute. */
const looksLikeServer = (judgement: Judgement, consumer: ConsumerFields): boolean =>
  consumer.consumer_type === null &&
  judgement
    .heldOfComputes(consumer)
    .some(({ resources }) => SERVER_CLASSES.some(name => Object.hasOwn(resources, name)))

function judgeMigration(judgement: Judgement, consumer: ConsumerFields, migration: NovaMigration): void {
  const { nova } = judgement
  const server = nova.servers.get(migration.server)
  const subject = migrationSubject(migration)
  if (server === undefined && nova.isPartial) {
    judgement.leave(subject, 'a cell of Nova does not answer')
    return
  }
  if (server !== undefined) {
    const motion = findMotion(server, judgement.migrationsOf(server.id))
    if (motion !== null) {
      judgement.leave(subject, `of server ${server.name}: ${motion}`)
      return
    }
    judgeType(judgement, consumer, migration)
    // The server waits for its resize to be confirmed; or holds the wrong host itself, which is a finding about the server.
    if (!isEnded(migration) || isSwapped(judgement, server, consumer)) return
  }
  const about = `${migration.type} ${migration.id} from ${migration.sourceNode} to ${migration.destNode} is ${migration.status}`
  findOrphan(judgement, consumer, {
    kind: server === undefined ? 'orphaned-migration' : 'finished-migration',
    subject,
    nova: server === undefined ? `${about}, and its server is gone` : about,
  })
}

const migrationSubject = ({ uuid, type, id }: NovaMigration): Subject => ({
  type: 'migration',
  id: uuid,
  name: `${type} ${id}`,
})

/** Whether the server holds nothing where the migration holds something, and is there. */
function isSwapped(judgement: Judgement, server: NovaServer, consumer: ConsumerFields): boolean {
  const own = judgement.consumer(server.id)
  const at = (held: readonly Held[]) => held.some(({ root }) => judgement.nameTree(root) === server.node)
  return own !== undefined && at(judgement.trees.heldBy(consumer)) && !at(judgement.trees.heldBy(own))
}

function judgeType(judgement: Judgement, consumer: ConsumerFields, migration: NovaMigration): void {
  if (consumer.consumer_type === null || consumer.consumer_type === 'MIGRATION') return
  const after = { ...consumer, consumer_type: 'MIGRATION' }
  judgement.find({
    kind: 'wrong-type',
    subject: migrationSubject(migration),
    nova: `${migration.uuid} is a migration`,
    ledger: `the consumer has type ${consumer.consumer_type}`,
    remedy: 'Set the type of the consumer to MIGRATION.',
    command: judgement.setCommand(after),
    repair: changeConsumer(consumer, after),
  })
}

/** Neither a server nor a migration that Nova lists. */
function judgeStranger(judgement: Judgement, consumer: ConsumerFields): void {
  const { uuid, consumer_type: type } = consumer
  const { nova, options } = judgement
  const isTyped = type === 'INSTANCE' || type === 'MIGRATION'
  if (!isTyped && !looksLikeServer(judgement, consumer)) return
  const subject: Subject = { type: 'consumer', id: uuid, name: uuid }
  if (nova.isPartial) {
    judgement.leave(subject, 'a cell of Nova does not answer')
    return
  }
  if (type === 'MIGRATION') {
    findOrphan(judgement, consumer, {
      kind: 'orphaned-migration',
      subject,
      nova: 'there is no such migration',
    })
    return
  }
  if (nova.deletedServers.has(uuid)) {
    findOrphan(judgement, consumer, {
      kind: 'orphaned-deleted',
      subject,
      nova: 'the server is deleted',
    })
    return
  }
  if (isTyped || options.unknownAreServers) {
    findOrphan(judgement, consumer, { kind: 'orphaned', subject, nova: 'there is no such server' })
    return
  }
  judgement.leave(
    subject,
    `Nova does not know it, and it has no type: it holds ${heldText(judgement.trees.heldBy(consumer))}`,
  )
}

function findOrphan(
  judgement: Judgement,
  consumer: ConsumerFields,
  about: { readonly kind: Kind; readonly subject: Subject; readonly nova: string },
): void {
  judgement.find({
    ...about,
    ledger: `it holds ${heldText(judgement.trees.heldBy(consumer))}`,
    remedy: 'Delete the allocations: they keep room from others.',
    command: `berth allocation delete ${consumer.uuid}`,
    repair: changeConsumer(consumer, null),
  })
}

/** A resize that waits for its confirmation keeps the room to go back. */
export function judgeSource(judgement: Judgement, server: NovaServer): void {
  if (server.vmState !== 'resized' || findMotion(server, judgement.migrationsOf(server.id)) !== null) return
  const migration = judgement.migrationsOf(server.id).findLast(({ status }) => status === 'finished')
  if (migration === undefined) return
  const source = judgement.nova.computes.find(({ name }) => name === migration.sourceNode)
  if (source === undefined || !judgement.trees.ledger.providers.has(source.id)) return
  const root = judgement.trees.rootOf(source.id)
  const holder = judgement.consumer(migration.uuid)
  if (judgement.trees.heldBy(holder).some(one => one.root === root)) return
  const expected = expectResources(server)
  const placing =
    migration.type === 'resize'
      ? { reason: 'Nova does not tell the flavor before the resize' }
      : 'unknown' in expected
        ? { reason: expected.unknown }
        : placeOn(judgement.trees, root, expected)
  const after: ConsumerFields | null =
    'reason' in placing || holder !== undefined
      ? null
      : {
          uuid: migration.uuid,
          generation: 1,
          project_id: server.projectId,
          user_id: server.userId,
          consumer_type: judgement.hasServerTypes ? 'MIGRATION' : null,
          allocations: placing.allocations,
        }
  judgement.find({
    kind: 'unheld-source',
    subject: serverSubject(server),
    nova: `server ${server.name} can go back from ${server.node} to ${source.name}: ${migration.type} ${migration.id} is finished`,
    ledger: `migration ${migration.uuid} holds ${heldText(judgement.trees.heldBy(holder))}`,
    remedy:
      after === null
        ? `Confirm it, or revert it soon: others may take the room${'reason' in placing ? ` (${placing.reason})` : ''}.`
        : `Take the room on ${source.name} for the migration again.`,
    command: after === null ? `openstack server resize confirm ${server.id}` : judgement.setCommand(after),
    repair: after === null ? null : changeConsumer(null, after),
  })
}
