import type { Filter } from '../../framework/filter.ts'
import { isTrue, textOf } from '../../framework/json-value.ts'
import { reason, verdictOf } from '../../framework/refusal.ts'
import { allFound, isNamed } from '../aggregate-metadata.ts'

/** A property that the image does not have, or that is empty, is no hindrance. */
export const aggregateImagePropertiesIsolation: Filter = {
  name: 'AggregateImagePropertiesIsolation',
  summary:
    'Where an aggregate of the host has a property of the image as a key, wants its value listed there.',
  reads: { imageProperties: ['*'], metadata: ['*'] },
  onRebuild: true,
  byAggregates: true,
  check({ image }, { aggregates }) {
    const reasons = [...(image?.properties ?? [])].flatMap(([property, value]) => {
      if (!isTrue(value)) return []
      const allowed = allFound(aggregates, property)
      const text = textOf(value)
      return allowed.length === 0 || isNamed(allowed, text)
        ? []
        : [reason('image-property.not-listed', { property, value: text, allowed })]
    })
    return verdictOf(reasons, [])
  },
}
