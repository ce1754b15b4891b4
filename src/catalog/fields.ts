/** The fields of each part of the catalog. JSON documents are text, exactly as given. */

type Visibility = 'public' | 'private'

/** Attributes of a namespace. */
export interface Attributes {
  readonly display_name: string | null
  readonly description: string | null
  readonly visibility: Visibility
  readonly protected: boolean
  readonly owner: string
}

export interface NamespaceFields extends Attributes {
  readonly namespace: string
}

export interface AssociationFields {
  /** The type of resource. */
  readonly name: string
  readonly prefix: string | null
  readonly properties_target: string | null
}

export interface PropertyFields {
  readonly name: string
  readonly json_schema: string
}

export interface ObjectFields {
  readonly name: string
  readonly description: string | null
  /** Null if absent. */
  readonly required: string | null
  readonly json_schema: string | null
}

export interface Content {
  readonly associations: readonly AssociationFields[]
  readonly properties: readonly PropertyFields[]
  readonly objects: readonly ObjectFields[]
  readonly tags: readonly string[]
}

/** A namespace with its contents, as in a file. */
export interface Definition {
  readonly namespace: string
  /** Only those in the file. */
  readonly attributes: Partial<Attributes>
  readonly content: Content
}

const partKinds = ['association', 'property', 'object', 'tag'] as const
export type PartKind = (typeof partKinds)[number]
