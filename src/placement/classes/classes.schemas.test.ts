import { expect, test } from 'vitest'
import { validate } from '../../http/formats/json-schema.ts'
import { resourceClassSchema } from './classes.schemas.ts'

const named = (name: unknown) => validate(resourceClassSchema, { name })

test('a class is custom', () => {
  expect(named('CUSTOM_COW')).toBeNull()
  for (const name of ['COW', 'VCPU', 'VCPU_ALTERNATE', 'FOO', 'IRON_NFV', 'CUSTOM_Illegal&@!Name?']) {
    expect(named(name)).toContain(
      `'${name}' does not match '^CUSTOM_[A-Z0-9_]+$'\n\nFailed validating 'pattern' in`,
    )
  }
})

test('the name of a class has at most 255 characters', () => {
  expect(named(`CUSTOM_${'S'.repeat(248)}`)).toBeNull()
  expect(named(`CUSTOM_${'S'.repeat(249)}`)).toMatch(/Failed validating 'maxLength'/)
})

test('a class has a name and nothing else', () => {
  expect(validate(resourceClassSchema, {})).toMatch(/^'name' is a required property\n/)
  expect(validate(resourceClassSchema, { name: 'CUSTOM_A', id: 1 })).toMatch(/'id' was unexpected/)
})
