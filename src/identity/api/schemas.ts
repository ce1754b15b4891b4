import type { Schema } from '../../http/formats/json-schema.ts'
import { flag, links, listOf, objectOf, text, textOrNull } from '../../http/formats/schema-forms.ts'

/** The schemas of the answers, which the views render. */

const nothing: Schema = { type: 'null' }
const none: Schema = { type: 'array', maxItems: 0 }
const noOptions = objectOf({})
const selfLink = objectOf({ self: text })
const named = { id: text, name: text }
const reference = objectOf(named)
const referenceInDomain = objectOf({ ...named, domain: reference })

/** A list with its links; all of it is on one page. */
export const pageOf = (name: string, items: Schema): Schema => pageWith(name, listOf(items))

/** A list that is always empty here. */
export const emptyPageOf = (name: string): Schema => pageWith(name, none)

const pageWith = (name: string, list: Schema): Schema =>
  objectOf({ [name]: list, links: objectOf({ next: nothing, previous: nothing, self: text }) })

export const userSchema: Schema = objectOf(
  {
    ...named,
    domain_id: text,
    enabled: flag,
    password_expires_at: nothing,
    options: noOptions,
    links: selfLink,
  },
  { default_project_id: text, description: text, email: text },
)

export const projectSchema: Schema = objectOf({
  ...named,
  domain_id: text,
  parent_id: text,
  description: text,
  enabled: flag,
  is_domain: flag,
  tags: none,
  options: noOptions,
  links: selfLink,
})

export const roleSchema: Schema = objectOf({
  ...named,
  domain_id: nothing,
  description: nothing,
  options: noOptions,
  links: selfLink,
})

export const domainSchema: Schema = objectOf({
  ...named,
  description: text,
  enabled: flag,
  tags: none,
  options: noOptions,
  links: selfLink,
})

const credentialFields = {
  ...named,
  description: textOrNull,
  project_id: text,
  user_id: text,
  roles: listOf(reference),
  expires_at: textOrNull,
  unrestricted: flag,
  access_rules: none,
  system: nothing,
  links: selfLink,
}
export const credentialSchema: Schema = objectOf(credentialFields)
/** Only the answer to its creation has the secret. */
export const newCredentialSchema: Schema = objectOf({ ...credentialFields, secret: text })

/** Names are present if the query asks for them. */
export const assignmentSchema: Schema = objectOf({
  user: objectOf({ id: text }, { name: text, domain: reference }),
  scope: objectOf({ project: objectOf({ id: text }, { name: text, domain: reference }) }),
  role: objectOf({ id: text }, { name: text }),
  links: objectOf({ assignment: text }),
})

export const catalogEntrySchema: Schema = objectOf({
  ...named,
  type: text,
  endpoints: listOf(objectOf({ id: text, interface: text, region: text, region_id: text, url: text })),
})

/** A token without a project lacks the fields of a project; a token for machines always has roles. */
export const tokenSchema: Schema = objectOf({
  token: objectOf(
    {
      methods: listOf(text),
      user: objectOf({ ...named, domain: reference, password_expires_at: nothing }),
      audit_ids: listOf(text),
      issued_at: text,
      expires_at: text,
    },
    {
      project: referenceInDomain,
      is_domain: flag,
      roles: listOf(reference),
      catalog: listOf(catalogEntrySchema),
      application_credential: objectOf({ ...named, restricted: flag }),
    },
  ),
})

export const versionSchema: Schema = objectOf({
  id: text,
  status: text,
  updated: text,
  links,
  'media-types': listOf(objectOf({ base: text, type: text })),
})
