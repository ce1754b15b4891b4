import type { ClassId } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'

/** What shares take of pools. */
export const SHARE_GB = 'CUSTOM_SHARE_GB'

export const shareClass = ({ classes }: World): ClassId | undefined => classes.id(SHARE_GB)
