/** What serves a back end. Everything may be asked twice, and comes to the same. */
export interface Driver {
  readonly kind: string
  /**
   * From now on this process serves the back end, under this epoch, with the driver that is the answer. Whatever is still
   * done with one of an earlier epoch must come to nothing. Rejects where a later one was seen.
   */
  adopt(epoch: number): Promise<Driver>
  create(wish: NewShare, signal: AbortSignal): Promise<Exported>
  remove(place: Place, signal: AbortSignal): Promise<void>
  /** Rejects with TooSmall where more is in it. */
  resize(wish: Place & { readonly sizeGb: number }, signal: AbortSignal): Promise<void>
  snapshot(wish: Place & { readonly snapshot: string }, signal: AbortSignal): Promise<void>
  dropSnapshot(wish: Place & { readonly snapshot: string }, signal: AbortSignal): Promise<void>
  /** The first half of a move: a copy of a share that is still in use elsewhere. */
  copy(wish: Copy, signal: AbortSignal): Promise<Exported>
  /** The second half: the copy, brought up to date, takes its place. */
  finish(wish: Copy, signal: AbortSignal): Promise<Exported>
  /** The copy goes, and the snapshots that came with it. */
  dropCopy(left: Leftover, signal: AbortSignal): Promise<void>
  /** What a move left behind. */
  dropSource(left: Leftover, signal: AbortSignal): Promise<void>
}

/** A share in a pool, which goes by its own name. */
export interface Place {
  readonly pool: string
  readonly share: string
}

export interface NewShare extends Place {
  readonly sizeGb: number
  readonly from: { readonly pool: string; readonly share: string; readonly snapshot: string } | null
}

export interface Copy extends Place {
  readonly sizeGb: number
  readonly source: Place & { readonly driver: Driver }
  readonly snapshots: readonly string[]
  /** Of these there may be nothing. */
  readonly otherSnapshots?: readonly string[]
}

/**
 * What a share does not need any more. It must not go where it turns out to be the share itself, nor while the share cannot
 * be seen where it should be.
 */
export interface Leftover extends Place {
  /** Where the share is, and where it is on its way to. */
  readonly keeps: readonly (Place & { readonly driver: Driver })[]
}

export interface Exported {
  readonly exportPath: string
}

/** What is in a share does not fit into a smaller one. */
export class TooSmall extends Error {
  override name = 'TooSmall'
}

/** Somebody else serves the back end by now. */
export class Superseded extends Error {
  override name = 'Superseded'
}

/** What a driver is made of: the back end's own settings, and what is true of this machine. */
export interface DriverParts {
  /** Of the back end's provider: another one for every installation. */
  readonly id: string
  /** `host@backend` */
  readonly backend: string
  readonly settings: Readonly<Record<string, unknown>>
  /** A command that limits how much a directory may hold; none where nothing can. */
  readonly quotaCommand: readonly string[]
  /** Files and directories of Berth itself, such as its data directory: no share may be among them, nor they among shares. */
  readonly ownPaths: readonly string[]
}
