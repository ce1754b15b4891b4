/** The sentinels of the filter that compares flavors with aggregates. */
export const SENTINELS: readonly (readonly [sign: string, inFlavor: string, inAggregate: string])[] = [
  ['*', 'any value, if the aggregate has the key', 'the flavor must have the key, with any value'],
  ['~', 'the key may be missing', 'the flavor may leave the key out'],
  ['!', 'the key must not be there', 'the flavor must not have the key'],
]

const SCOPE = 'aggregate_instance_extra_specs:'

/** Only these keys are compared with aggregates: without a namespace, or in the one made for it. */
export const isCompared = (key: string): boolean => key.startsWith(SCOPE) || !key.includes(':')

export const isForced = (metadata: Readonly<Record<string, string>>): boolean =>
  metadata.force_metadata_check?.trim().toLowerCase() === 'true'

/** The sentinels in a value, in order. */
export function sentinelsIn(text: string): readonly string[] {
  const words = text.trim().split(/\s+/)
  return SENTINELS.map(([sign]) => sign).filter(sign => words.includes(sign))
}
