import type { ListedProject } from '../../../src/wire/projects.ts'
import { amount, ofClass, percent } from '../formats.ts'

type Quota = ListedProject['compute'][number]

export const findQuota = ({ compute, shares }: ListedProject, resource: string): Quota | undefined =>
  [...compute, ...shares].find(one => one.resource === resource)

/** What is used, and of how much where there is a limit. */
export function quotaText(quota: Quota | undefined, unit: string): string {
  if (quota === undefined) return '–'
  const text = (value: number) => (unit === '' ? amount(value) : ofClass(unit, value))
  return quota.limit === null ? text(quota.used) : `${text(quota.used)} of ${text(quota.limit)}`
}

/** The fullest limit of a project, in words; null: it has none, or uses nothing. */
export function fullestText({ compute, shares }: ListedProject): string | null {
  const filled = [...compute, ...shares]
    .flatMap(({ resource, used, limit }) =>
      limit === null || limit === 0 ? [] : [{ resource, share: used / limit }],
    )
    .sort((one, other) => other.share - one.share)[0]
  if (filled === undefined || filled.share === 0) return null
  return `${filled.resource.replaceAll('_', ' ')} ${percent(filled.share)}`
}
