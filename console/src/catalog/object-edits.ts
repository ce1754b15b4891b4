import type { MetadefObject, MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'

/** An object with a property added, changed or renamed. */
export function withProperty(
  object: MetadefObject,
  known: string | null,
  name: string,
  property: MetadefProperty,
): MetadefObject {
  const { properties = {}, required } = object
  const others = Object.entries(properties).filter(([one]) => one !== known && one !== name)
  return {
    ...object,
    properties: Object.fromEntries([...others, [name, property]]),
    ...(required == null ? {} : { required: required.map(one => (one === known ? name : one)) }),
  }
}

/** Without one of its properties, which can then no longer be required. */
export function withoutProperty(object: MetadefObject, name: string): MetadefObject {
  const { properties = {}, required } = object
  return {
    ...object,
    properties: Object.fromEntries(Object.entries(properties).filter(([one]) => one !== name)),
    ...(required == null ? {} : { required: required.filter(one => one !== name) }),
  }
}

/** PUT replaces the whole object: omitted parts are deleted. */
export const objectBody = ({ name, description, required, properties }: MetadefObject) => ({
  name,
  description: description ?? '',
  required: required ?? [],
  properties: properties ?? {},
})
