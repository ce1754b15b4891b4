import { ApiError } from './api.ts'

type Metadata = Readonly<Record<string, string>>

interface Verdict {
  readonly refused: readonly string[]
  readonly doubtful: readonly string[]
}

/** Checks metadata against the catalog before it is written. */
export type CheckMetadata = (resourceType: string, written: Metadata, kept: Metadata) => Verdict

/** Throws 400 for refused values. Returns warnings about the others. */
export function requireMetadata(
  check: CheckMetadata,
  resourceType: string,
  written: Metadata,
  kept: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const { refused, doubtful } = check(resourceType, written, Object.fromEntries(kept))
  if (refused.length > 0)
    throw new ApiError(
      400,
      `The metadata definitions do not allow this. ${refused.slice(0, SHOWN_MAX).join(' ')}`,
    )
  return doubtful.slice(0, SHOWN_MAX)
}

const SHOWN_MAX = 10
