/** Runs the rules of back ends and shares alone, with simulated disks, for random histories. */
import { expect } from 'vitest'
import { bindsOthers, NO_HINTED_SHARES } from '../scheduling/pools/hints.ts'
import { nameOrEmpty } from '../scheduling/pools/pools.ts'
import { checkWorld } from '../server/check-world.ts'
import type { Decision } from '../world/decision.ts'
import type { HintKind, HintRow, ShareRow } from '../world/shares.ts'
import { World } from '../world/world.ts'
import { declareBackends } from './backends/backends.ts'
import { type ShareRules, shareRules } from './rules.ts'
import type { HintEdits } from './share/hints.ts'
import { obeysHints } from './share/migrate.ts'
import { declareTypes } from './share-types/share-types.ts'
import type { Begun, Work } from './worker/leases.ts'
import type { StepResult } from './worker/results.ts'

export const BACKENDS = ['farm@one', 'farm@two', 'farm@three'] as const
export const POOLS = ['farm@one#p', 'farm@one#q', 'farm@two#p', 'farm@three#p'] as const

/** How a step ends: success, reported or not; failure before or after its effect. */
export type Fate = 'done' | 'died before' | 'died after' | 'failed before' | 'failed after'

const LEASE_MS = 1_000

export class SmallFarm {
  readonly world = new World()
  /** What is on the disks: `POOL SHARE`, and `POOL SHARE SNAPSHOT`. */
  readonly disks = new Set<string>()
  /** Access that each back end grants: `SHARE RULE`. */
  readonly exports = new Map<string, Set<string>>()
  /** Created shares whose deletion has not begun: their data must be where they are. */
  readonly #whole = new Set<string>()
  /** Hints that an admin wrote although the shares do not match them, or were being moved. */
  readonly #brokenWhenWritten = new Set<string>()
  nowMs = 1_000_000
  #uuids = 0
  #lives = 0

  constructor() {
    const pool = { totalGb: 4, reservedPercentage: 0, overSubscription: 1, capabilities: {} }
    const backends = BACKENDS.map(name => ({
      name: name.slice('farm@'.length),
      driver: 'simulated',
      settings: {},
      availabilityZone: 'nova',
      capabilities: {},
      pools: POOLS.filter(one => one.startsWith(name)).map(one => ({ ...pool, name: one.slice(-1) })),
    }))
    const newUuids = Array.from({ length: 10 }, () => this.uuid())
    this.#apply(
      declareBackends(this.world, { declared: { host: 'farm', backends }, owner: 'o', newUuids }, 1),
    )
    const extraSpecs = { snapshot_support: 'True' }
    const types = [{ name: 't', description: null, isPublic: true, extraSpecs }]
    this.#apply(declareTypes(this.world, { types, defaultType: 't', newUuids: [this.uuid()] }, 1))
  }

  uuid(): string {
    return `00000000-0000-4000-8000-${String(++this.#uuids).padStart(12, '0')}`
  }

  /** Refusals are fine; what is accepted must leave everything in order. */
  ask<K extends keyof ShareRules>(kind: K, command: Parameters<ShareRules[K]>[1]): void {
    // biome-ignore lint/suspicious/noExplicitAny: each rule has its own command type
    this.#apply((shareRules[kind] as any)(this.world, command, ++this.nowMs))
    this.check()
  }

  create(size: number, same: readonly string[], different: readonly string[], snapshot: string | null): void {
    const type = this.world.shares.types.all()[0]?.uuid ?? ''
    this.ask('shares:create', {
      uuid: this.uuid(),
      stepUuid: this.uuid(),
      project: 'p',
      user: 'u',
      isAdmin: true,
      size,
      type,
      name: null,
      description: null,
      protocol: 'NFS',
      isPublic: false,
      zone: null,
      snapshot,
      metadata: {},
      ownHints: NO_HINTED_SHARES,
      checkOwnHints: true,
      onlyHost: null,
      rankedPools: [],
      hints: { same_host: [...new Set(same)], different_host: [...new Set(different)] },
    })
  }

  /** Edits the hints of a share as an admin. */
  edit(share: string, hints: HintEdits): void {
    const row = this.world.shares.findShare(share) as ShareRow
    const before = new Set(this.world.shares.hints.list(row.id))
    const command = { share, metadata: {}, hints, replace: false, checkHints: true }
    this.#apply(shareRules['shares:set-metadata'](this.world, command, 0))
    for (const hint of this.world.shares.hints.list(row.id)) {
      const ends = this.#endsOf(hint)
      const isMoving = ends.some(one => one?.target_pool_id !== null)
      if (!before.has(hint) && (isMoving || !this.#holds(hint)))
        this.#brokenWhenWritten.add(tieName(hint.kind as HintKind, share, hint.other))
    }
    this.check()
  }

  /** Forgets a share; what its driver created stays. */
  unmanage(share: string): void {
    const home = nameOrEmpty(this.world, this.world.shares.findShare(share)?.pool_id ?? null)
    this.ask('shares:unmanage', { share, stepUuid: this.uuid() })
    if (this.world.shares.findShare(share) !== undefined) return
    this.#whole.delete(share)
    this.#drop(`${home} ${share}`)
  }

  /** Runs one step of each share that has work at a back end. Returns whether there was any. */
  work(backend: string, fate: Fate): boolean {
    const holder = `holder ${this.#lives}`
    const begun = this.#apply(
      shareRules['shares:begin-work'](
        this.world,
        { backend, holder, leaseMs: LEASE_MS, isAlone: false, running: [], stepsMax: 10 },
        ++this.nowMs,
      ),
    ) as Begun
    this.check()
    for (const work of begun.work) this.#do(backend, work, begun.epoch, holder, fate)
    if (fate.startsWith('died')) {
      this.#lives++
      this.nowMs += LEASE_MS + 1
    }
    return begun.work.length > 0
  }

  #do(backend: string, work: Work, epoch: number, holder: string, fate: Fate): void {
    const isDone = fate === 'done' || fate.endsWith('after')
    const error = isDone ? this.#deed(backend, work) : 'it would not'
    if (fate.startsWith('died')) return
    const result: StepResult =
      error === null && fate === 'done'
        ? { ok: true, exportPath: '/x' }
        : { ok: false, error: error ?? 'too late', ...this.#cleared(backend, work) }
    if (result.ok && work.kind === 'create') this.#whole.add(work.share)
    const uuids = { nextUuid: this.uuid(), accessUuid: this.uuid() }
    this.ask('shares:end-step', { step: work.step, holder, epoch, result, ...uuids })
  }

  /** Cleans up after a failed creation, as `do-step` does. */
  #cleared(backend: string, { kind, pool, share }: Work): { isHalfMade?: boolean } {
    if (kind !== 'create') return {}
    this.#drop(`${backend}#${pool} ${share}`)
    return { isHalfMade: false }
  }

  /** What a driver does. It is idempotent. */
  #deed(backend: string, { kind, pool, share, facts }: Work): string | null {
    const here = `${backend}#${pool} ${share}`
    const from =
      facts.from === undefined ? '' : `${facts.from.backend}#${facts.from.pool} ${facts.from.share}`
    switch (kind) {
      case 'create':
        // A snapshot stays while a share is created from it.
        if (from !== '') expect([...this.disks]).toContain(`${from} ${facts.snapshot}`)
        this.disks.add(here)
        return null
      case 'delete':
        if (facts.access === true) this.#export(backend)
        this.#whole.delete(share)
        this.#drop(here)
        return null
      case 'drop-copy':
      case 'drop-source':
        if (facts.access === true) this.#export(backend)
        this.#drop(here)
        return null
      case 'copy':
      case 'switch': {
        const wanted = ['', ...(facts.snapshots ?? [])].map(name => (name === '' ? '' : ` ${name}`))
        const missing = wanted.find(part => !this.disks.has(from + part))
        if (missing !== undefined) return `there is no ${from}${missing}`
        const others = (facts.otherSnapshots ?? []).map(name => ` ${name}`)
        for (const part of [...wanted, ...others.filter(name => this.disks.has(from + name))])
          this.disks.add(here + part)
        return null
      }
      case 'snapshot':
        if (!this.disks.has(here)) return `there is no ${here}`
        this.disks.add(`${here} ${facts.snapshot}`)
        return null
      case 'drop-snapshot':
        this.disks.delete(`${here} ${facts.snapshot}`)
        return null
      case 'resize':
        return this.disks.has(here) ? null : `there is no ${here}`
      case 'access':
        this.#export(backend)
        return null
      default:
        return kind satisfies never
    }
  }

  #export(backend: string): void {
    this.exports.set(backend, this.#wantedExports(backend))
  }

  /** A second implementation: rules that are not denied, of shares that exist. */
  #wantedExports(backend: string): Set<string> {
    const { shares } = this.world
    const rules = shares.accessRules.all().filter(rule => {
      const share = shares.shares.row(rule.share_id)
      const home = nameOrEmpty(this.world, share.pool_id)
      return rule.is_denied === 0 && home.startsWith(`${backend}#`)
    })
    return new Set(rules.map(rule => `${shares.shares.row(rule.share_id).uuid} ${rule.uuid}`))
  }

  #drop(place: string): void {
    for (const one of this.disks) if (one === place || one.startsWith(`${place} `)) this.disks.delete(one)
  }

  allow(share: string, to: string): void {
    this.ask('shares:allow-access', {
      uuid: this.uuid(),
      stepUuid: this.uuid(),
      share,
      type: 'ip',
      to,
      level: 'rw',
      metadata: {},
      allowsFailedRules: true,
      allowsError: true,
    })
  }

  /** Runs all steps; there must be an end. */
  drain(): void {
    for (let turns = 0; this.world.shares.steps.all().length > 0; turns++) {
      expect(turns, 'steps that never end').toBeLessThan(100)
      const did = BACKENDS.map(backend => this.work(backend, 'done'))
      if (!did.includes(true)) this.nowMs += 1_000_000
    }
    this.#checkDisks()
    this.#checkExports()
  }

  check(): void {
    const passing = ['share.left-behind', 'share.access-stuck']
    const problems = checkWorld(this.world).items.filter(({ kind }) => !passing.includes(kind))
    expect(problems).toEqual([])
    this.#checkHints()
    this.#checkMirrors()
    this.#checkFailed()
    this.#checkAccess()
  }

  /** Every rule that is not applied has a step that will apply it. */
  #checkAccess(): void {
    const { shares } = this.world
    for (const { share_id, state, uuid } of shares.accessRules.rows()) {
      if (state === 'active') continue
      const steps = shares.listStepsAbout(shares.shares.row(share_id).uuid)
      expect([uuid, state, steps.some(({ kind }) => kind === 'access')]).toEqual([uuid, state, true])
    }
  }

  /** When no work is left, each back end grants what the rules say, and the rules are active. */
  #checkExports(): void {
    const rules = this.world.shares.accessRules.all()
    expect(rules.filter(({ state, is_denied }) => state !== 'active' || is_denied !== 0)).toEqual([])
    for (const backend of BACKENDS)
      expect([backend, [...(this.exports.get(backend) ?? [])].sort()]).toEqual([
        backend,
        [...this.#wantedExports(backend)].sort(),
      ])
  }

  /** Hints hold between two shares that have a pool, unless one was moved by force. */
  #checkHints(): void {
    for (const hint of this.world.shares.hints.rows()) {
      const [one] = this.#endsOf(hint)
      const name = tieName(hint.kind as HintKind, one?.uuid ?? '', hint.other)
      if (!this.#brokenWhenWritten.has(name)) expect([name, this.#holds(hint)]).toEqual([name, true])
    }
  }

  #endsOf({ share_id, other }: HintRow): (ShareRow | undefined)[] {
    const { shares } = this.world.shares
    return [shares.get(share_id), shares.find(other)]
  }

  #holds(hint: HintRow): boolean {
    const [here, there] = this.#endsOf(hint).map(share =>
      share === undefined || share.is_forced === 1 ? null : this.world.shares.findBackend(share.pool_id),
    )
    return here === null || there === null || (here === there) === (hint.kind === 'same_host')
  }

  /** Every hint is on both shares, and both exist. */
  #checkMirrors(): void {
    const { shares, hints } = this.world.shares
    for (const { share_id, kind, other } of hints.rows()) {
      const [own, named] = [shares.get(share_id)?.uuid, shares.find(other)]
      expect(named?.id, `${kind} ${other} of ${own}`).not.toBe(share_id)
      expect(hints.find(named?.id ?? -1, `${kind} ${own}`), `${kind} ${other} of ${own}`).toBeDefined()
    }
  }

  /** A share whose hints name only failed shares may be anywhere. */
  #checkFailed(): void {
    const { shares, hints, pools } = this.world.shares
    for (const share of shares.all()) {
      const others = hints.list(share.id).map(({ other }) => shares.find(other) as ShareRow)
      if (share.pool_id === null || others.length === 0 || others.some(bindsOthers)) continue
      for (const { provider_id } of pools.rows())
        expect(
          obeysHints(this.world, share, provider_id, this.nowMs),
          `failed shares bind ${share.uuid}`,
        ).toBe(true)
    }
  }

  /** When no work is left, disks and shares agree. */
  #checkDisks(): void {
    const { shares } = this.world
    const homes = new Set<string>()
    for (const share of shares.shares.all()) {
      const home = `${nameOrEmpty(this.world, share.pool_id)} ${share.uuid}`
      homes.add(home)
      if (share.target_pool_id !== null)
        homes.add(`${nameOrEmpty(this.world, share.target_pool_id)} ${share.uuid}`)
      if (!this.#whole.has(share.uuid)) continue
      expect([...this.disks]).toContain(home)
      for (const { uuid, status } of shares.listSnapshots(share.id))
        if (status === 'available') expect([...this.disks]).toContain(`${home} ${uuid}`)
    }
    const loose = [...this.disks].filter(one => !homes.has(one.split(' ').slice(0, 2).join(' ')))
    expect(loose).toEqual([])
  }

  #apply<A>(decision: Decision<A, unknown>): A | null {
    if (!decision.ok) return null
    this.world.apply(decision.change)
    return decision.answer
  }
}

const tieName = (kind: HintKind, one: string, other: string): string =>
  [kind, ...[one, other].sort()].join(' ')
