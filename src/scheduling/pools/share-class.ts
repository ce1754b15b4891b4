import type { ClassId } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'

/** The resource class of shares. */
export const SHARE_GB = 'CUSTOM_SHARE_GB'

export const findShareClass = ({ classes }: World): ClassId | undefined => classes.id(SHARE_GB)
