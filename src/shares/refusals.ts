import type { CloudOwned } from '../world/cloud-owned.ts'
import type { Decision } from '../world/decision.ts'
import type { HintKind } from '../world/shares.ts'

/** Why a command about shares was refused. */
export type ShareRefusal =
  | CloudOwned
  | { readonly kind: 'type-missing'; readonly type: string }
  | { readonly kind: 'type-exists'; readonly name: string }
  | { readonly kind: 'type-in-use'; readonly type: string; readonly shares: number }
  | { readonly kind: 'type-public'; readonly type: string }
  | { readonly kind: 'type-spec-missing'; readonly type: string; readonly key: string }
  | { readonly kind: 'type-access-exists'; readonly type: string; readonly project: string }
  | { readonly kind: 'type-access-missing'; readonly type: string; readonly project: string }
  | { readonly kind: 'backend-missing'; readonly backend: string }
  | { readonly kind: 'backend-in-use'; readonly what: string; readonly shares: number }
  | { readonly kind: 'backend-name-taken'; readonly name: string }
  | {
      readonly kind: 'backend-roots'
      readonly one: { readonly backend: string; readonly root: string }
      readonly other: { readonly backend: string; readonly root: string }
    }
  | { readonly kind: 'backend-inventory'; readonly name: string; readonly reason: string }
  | { readonly kind: 'share-missing'; readonly share: string }
  | { readonly kind: 'hinted-share-missing'; readonly hint: HintKind; readonly share: string }
  | { readonly kind: 'hint-own-share'; readonly hint: HintKind; readonly share: string }
  | { readonly kind: 'hint-both-kinds'; readonly share: string; readonly other: string }
  | {
      readonly kind: 'share-state'
      readonly share: string
      readonly field: 'status' | 'task_state'
      readonly value: string
      readonly needs: readonly string[]
    }
  | { readonly kind: 'share-busy'; readonly share: string; readonly taskState: string }
  | { readonly kind: 'share-soft-deleted'; readonly share: string }
  | { readonly kind: 'share-has-snapshots'; readonly share: string; readonly snapshots: number }
  | { readonly kind: 'share-size'; readonly share: string; readonly size: number; readonly asked: number }
  | { readonly kind: 'type-size'; readonly type: string; readonly size: number; readonly limit: string }
  | { readonly kind: 'share-unplaced'; readonly share: string }
  | { readonly kind: 'metadata-missing'; readonly share: string; readonly key: string }
  | { readonly kind: 'metadata-exceeded'; readonly keys: number; readonly limit: number }
  | { readonly kind: 'snapshot-missing'; readonly snapshot: string }
  | {
      readonly kind: 'snapshot-state'
      readonly snapshot: string
      readonly value: string
      readonly needs: readonly string[]
    }
  | { readonly kind: 'snapshot-in-use'; readonly snapshot: string; readonly share: string }
  | { readonly kind: 'snapshots-unsupported'; readonly share: string }
  | { readonly kind: 'access-missing'; readonly rule: string }
  | { readonly kind: 'access-exists'; readonly type: string; readonly to: string }
  | { readonly kind: 'access-failed-rules'; readonly share: string }
  | { readonly kind: 'access-exceeded'; readonly share: string; readonly limit: number }
  | { readonly kind: 'access-metadata-missing' }
  | { readonly kind: 'access-soft-deleted'; readonly share: string; readonly action: 'allow' | 'deny' }
  | {
      readonly kind: 'access-state'
      readonly share: string
      readonly action: 'allow' | 'deny'
      readonly status: string
    }
  | {
      readonly kind: 'quota-exceeded'
      readonly resource: string
      readonly asked: number
      readonly used: number
      readonly limit: number
    }
  | {
      readonly kind: 'quota-below-use'
      readonly resource: string
      readonly limit: number
      readonly used: number
    }
  | {
      readonly kind: 'lease-held'
      readonly backend: string
      readonly holder: string
      readonly untilMs: number
    }
  | { readonly kind: 'lease-lost'; readonly backend: string; readonly epoch: number }
  | { readonly kind: 'step-gone'; readonly step: string }

export type ShareDecision<Answer> = Decision<Answer, ShareRefusal>
