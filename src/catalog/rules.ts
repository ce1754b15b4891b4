import { rejectCloudOwned } from '../world/cloud-owned.ts'
import { clearNamespace, createNamespace, deleteNamespace, updateNamespace } from './namespaces/namespaces.ts'
import { createObject, deleteObject, updateObject } from './objects/objects.ts'
import { createProperty, deleteProperty, updateProperty } from './properties/properties.ts'
import { associate, dissociate } from './resource-types/resource-types.ts'
import { createTag, deleteTag, renameTag, setTags } from './tags/tags.ts'
import { loadBuiltins } from './transfer/builtins.ts'
import { importDefinitions } from './transfer/import.ts'

export const catalogRules = rejectCloudOwned({
  'catalog:create-namespace': createNamespace,
  'catalog:update-namespace': updateNamespace,
  'catalog:delete-namespace': deleteNamespace,
  'catalog:clear-namespace': clearNamespace,
  'catalog:create-property': createProperty,
  'catalog:update-property': updateProperty,
  'catalog:delete-property': deleteProperty,
  'catalog:create-object': createObject,
  'catalog:update-object': updateObject,
  'catalog:delete-object': deleteObject,
  'catalog:create-tag': createTag,
  'catalog:set-tags': setTags,
  'catalog:rename-tag': renameTag,
  'catalog:delete-tag': deleteTag,
  'catalog:associate': associate,
  'catalog:dissociate': dissociate,
  'catalog:import': importDefinitions,
  'catalog:load-builtins': loadBuiltins,
})

export type CatalogRules = typeof catalogRules
