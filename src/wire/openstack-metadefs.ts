/** Metadata definitions, as the images API and /v1/catalog/export have them. */

export interface MetadefAssociation {
  readonly name: string
  readonly prefix?: string | null
  readonly properties_target?: string | null
}

/** The JSON schema of one value, with the operators that may precede it. */
export interface MetadefProperty {
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly operators?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: MetadefProperty
}

export interface MetadefObject {
  readonly name: string
  readonly description?: string
  /** The required properties. */
  readonly required?: readonly string[] | null
  readonly properties?: Readonly<Record<string, MetadefProperty>>
}

/** Lists have only its attributes; a request for a single namespace also has its content. */
export interface MetadefNamespace {
  readonly namespace: string
  readonly display_name?: string
  readonly description?: string
  readonly visibility?: 'public' | 'private'
  readonly protected?: boolean
  readonly owner?: string
  readonly resource_type_associations?: readonly MetadefAssociation[]
  readonly properties?: Readonly<Record<string, MetadefProperty>>
  readonly objects?: readonly MetadefObject[]
  readonly tags?: readonly { readonly name: string }[]
}
