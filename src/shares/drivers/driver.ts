/** Serves a back end. All calls are idempotent. */
export interface Driver {
  readonly kind: string
  /**
   * This process now serves the back end, under this epoch, with the returned driver. What is still done under an earlier
   * epoch must have no effect. Rejects if a later one was seen.
   */
  adopt(epoch: number): Promise<Driver>
  create(request: NewShare, signal: AbortSignal): Promise<Exported>
  remove(place: ShareLocation, signal: AbortSignal): Promise<void>
  /** Rejects with TooSmall if it contains more. */
  resize(request: ShareLocation & { readonly sizeGb: number }, signal: AbortSignal): Promise<void>
  snapshot(request: ShareLocation & { readonly snapshot: string }, signal: AbortSignal): Promise<void>
  dropSnapshot(request: ShareLocation & { readonly snapshot: string }, signal: AbortSignal): Promise<void>
  /** The first half of a move: copies a share that is still in use elsewhere. */
  copy(request: Copy, signal: AbortSignal): Promise<Exported>
  /** The second half: updates the copy, which becomes the share. */
  finish(request: Copy, signal: AbortSignal): Promise<Exported>
  /** Deletes the copy and its snapshots. */
  dropCopy(left: Leftover, signal: AbortSignal): Promise<void>
  /** Deletes what a move left behind. */
  dropSource(left: Leftover, signal: AbortSignal): Promise<void>
  /** Why such a rule can never be applied here; null if it can. */
  findAccessFault(rule: AccessRule, protocol: string): string | null
  /** Applies exactly the rules of `list`, on the whole back end. It is called when the change is made, not before. */
  updateAccess(list: () => Iterable<ShareAccess>, signal: AbortSignal): Promise<void>
}

/** Who may use a share, and how. */
export interface AccessRule {
  readonly id: string
  /** `ip`, `user`, `cert` or `cephx` */
  readonly type: string
  readonly to: string
  readonly isReadOnly: boolean
}

export interface ShareAccess extends ShareLocation {
  /** Of the share, within its store. */
  readonly number: number
  readonly protocol: string
  readonly rules: readonly AccessRule[]
}

/** A share in a pool, which has no back end in its name. */
export interface ShareLocation {
  readonly pool: string
  readonly share: string
}

export interface NewShare extends ShareLocation {
  readonly sizeGb: number
  readonly from: { readonly pool: string; readonly share: string; readonly snapshot: string } | null
}

export interface Copy extends ShareLocation {
  readonly sizeGb: number
  readonly source: ShareLocation & { readonly driver: Driver }
  readonly snapshots: readonly string[]
  /** Some of these may not exist. */
  readonly otherSnapshots?: readonly string[]
}

/**
 * What a share does not need any more. The driver must keep it if it turns out to be the share itself, and while the share
 * is not visible where it should be.
 */
export interface Leftover extends ShareLocation {
  /** Where the share is, and where it is being moved. */
  readonly keeps: readonly (ShareLocation & { readonly driver: Driver })[]
}

export interface Exported {
  readonly exportPath: string
}

/** The contents of a share do not fit into a smaller one. */
export class TooSmall extends Error {
  override name = 'TooSmall'
}

/** Another process serves the back end now. */
export class Superseded extends Error {
  override name = 'Superseded'
}

/** The back end's settings, and those of this machine. */
export interface DriverParts {
  /** Of the back end's provider: unique per installation. */
  readonly id: string
  /** `host@backend` */
  readonly backend: string
  readonly settings: Readonly<Record<string, unknown>>
  /** A command that limits the size of a directory; empty if there is none. */
  readonly quotaCommand: readonly string[]
  /**
   * Files and directories of Berth itself, such as its data directory. Shares must be outside of them, and they must be
   * outside of shares.
   */
  readonly ownPaths: readonly string[]
}
