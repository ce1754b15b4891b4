import { defineFilter } from '../../framework/filter.ts'
import { isTrue, toText } from '../../framework/json-value.ts'
import { defineReason, quote, reason, verdictOf } from '../../framework/refusal.ts'
import { aggregatesText, findEntries, foundText, isNamed, type MetadataEntry } from '../aggregate-metadata.ts'

type NotListedFacts = {
  readonly property: string
  readonly value: string
  readonly allowed: readonly MetadataEntry[]
}

const notListed = defineReason({
  code: 'image-property.not-listed',
  text: ({ property, value, allowed }: NotListedFacts) =>
    `the image has ${property} = ${quote(value)}, which is not among ${foundText(allowed)}.`,
  hostsText: 'are in an aggregate that does not list KEY of the image',
  remedy: ({ value, allowed }) => `add ${quote(value)} to ${aggregatesText(allowed)}`,
  blames: ({ property }) => ({ imageProperties: [property] }),
})

/** A missing or empty property of the image passes. */
export const aggregateImagePropertiesIsolation = defineFilter({
  name: 'AggregateImagePropertiesIsolation',
  summary:
    'Where an aggregate of the host has a property of the image as a key, the value must be listed there.',
  reads: { imageProperties: ['*'], metadata: ['*'] },
  reasons: [notListed],
  example: {
    passes: { image_properties: { os_type: 'linux' }, aggregates: [{ os_type: 'linux,bsd' }] },
    refused: { image_properties: { os_type: 'windows' }, aggregates: [{ os_type: 'linux,bsd' }] },
    text: 'the image has os_type = "windows", which is not among "linux,bsd" from aggregate #1.',
  },
  onRebuild: true,
  byAggregates: true,
  check({ image }, { aggregates }) {
    const reasons = [...(image?.properties ?? [])].flatMap(([property, value]) => {
      if (!isTrue(value)) return []
      const allowed = findEntries(aggregates, property)
      const text = toText(value)
      return allowed.length === 0 || isNamed(allowed, text)
        ? []
        : [reason(notListed, { property, value: text, allowed })]
    })
    return verdictOf(reasons)
  },
})
