import { expect, test } from 'vitest'
import { validateQuery } from '../../http/formats/json-body.ts'
import { Query } from '../../http/request/query.ts'
import { featuresOf } from '../versions.ts'
import { totalUsagesQuerySchema } from './usages.schemas.ts'

const asked = (minor: number, query: string) => () =>
  validateQuery(Query.parse(query)!, totalUsagesQuerySchema(featuresOf(minor)))

test('usages are of a project, and may be of a user of it', () => {
  expect(asked(9, 'project_id=p')).not.toThrow()
  expect(asked(9, 'project_id=p&user_id=u')).not.toThrow()
  expect(asked(9, 'user_id=u')).toThrow(
    "Invalid query string parameters: 'project_id' is a required property",
  )
})

test('ids of projects and users have 1 to 255 characters', () => {
  const long = 'x'.repeat(256)
  expect(asked(9, 'project_id=')).toThrow("'' is too short\n\nFailed validating 'minLength'")
  expect(asked(9, 'project_id=p&user_id=')).toThrow("Failed validating 'minLength'")
  expect(asked(9, `project_id=${long}`)).toThrow("Failed validating 'maxLength'")
  expect(asked(9, `project_id=p&user_id=${long}`)).toThrow("Failed validating 'maxLength'")
  expect(asked(9, `project_id=${long.slice(1)}`)).not.toThrow()
})

test('usages can be requested by consumer type once there are types', () => {
  expect(asked(37, 'project_id=p&consumer_type=INSTANCE')).toThrow("('consumer_type' was unexpected)")
  for (const type of ['INSTANCE', 'all', 'unknown']) {
    expect(asked(38, `project_id=p&consumer_type=${type}`)).not.toThrow()
  }
  expect(asked(38, 'project_id=p&consumer_type=instance')).toThrow(
    "'instance' does not match '^[A-Z0-9_]+$|^all|^unknown$'",
  )
})
