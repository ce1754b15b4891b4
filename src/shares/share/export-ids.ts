import type { ShareRow } from '../../world/shares.ts'

/** A share has at most one instance and one export: their ids are the share's with one digit changed. */
const changeDigit = (uuid: string, at: number): string => {
  const digit = Number.parseInt(uuid[at] as string, 16)
  return `${uuid.slice(0, at)}${(digit ^ 8).toString(16)}${uuid.slice(at + 1)}`
}

export const exportIdOf = ({ uuid }: ShareRow): string => changeDigit(uuid, 0)
export const instanceIdOf = ({ uuid }: ShareRow): string => changeDigit(uuid, 1)
