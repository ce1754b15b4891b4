/** The schema of an image as Glance serves it. Clients take other fields for properties. */
const text = { type: 'string' }
const textOrNull = { type: ['null', 'string'] }
const wholeOrNull = { type: ['null', 'integer'], readOnly: true }

const uuid = '^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$'

const properties = {
  id: { ...text, pattern: uuid, description: 'The id of the image.' },
  name: { ...textOrNull, maxLength: 255, description: 'A readable name.' },
  status: {
    ...text,
    readOnly: true,
    enum: [
      ...['queued', 'saving', 'active', 'killed', 'deleted', 'uploading', 'importing'],
      ...['pending_delete', 'deactivated'],
    ],
    description: 'The status of the image.',
  },
  visibility: {
    ...text,
    enum: ['community', 'public', 'private', 'shared'],
    description: 'The visibility of the image.',
  },
  protected: { type: 'boolean', description: 'Whether it cannot be deleted.' },
  os_hidden: { type: 'boolean', description: 'Whether lists leave it out.' },
  checksum: { ...textOrNull, readOnly: true, maxLength: 32, description: 'The MD5 hash of the data.' },
  os_hash_algo: {
    ...textOrNull,
    readOnly: true,
    maxLength: 64,
    description: 'The algorithm of os_hash_value.',
  },
  os_hash_value: { ...textOrNull, readOnly: true, maxLength: 128, description: 'The hash of the data.' },
  owner: { ...textOrNull, maxLength: 255, description: 'The project that owns it.' },
  size: { ...wholeOrNull, description: 'The size of the data in bytes.' },
  virtual_size: { ...wholeOrNull, description: 'The size of the virtual disk in bytes.' },
  container_format: {
    ...textOrNull,
    enum: [null, 'ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'],
    description: 'The container format of the data.',
  },
  disk_format: {
    ...textOrNull,
    enum: [...[null, 'ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw'], ...['qcow2', 'vdi', 'iso', 'ploop']],
    description: 'The disk format of the data.',
  },
  created_at: { ...text, readOnly: true, description: 'When it was registered.' },
  updated_at: { ...text, readOnly: true, description: 'When it was last changed.' },
  tags: { type: 'array', items: { ...text, maxLength: 255 }, description: 'Tags to search by.' },
  direct_url: { ...text, readOnly: true, description: 'Where the data is in its store.' },
  min_ram: { type: 'integer', description: 'The memory that it needs, in MB.' },
  min_disk: { type: 'integer', description: 'The disk that it needs, in GB.' },
  self: { ...text, readOnly: true, description: 'The path of the image.' },
  file: { ...text, readOnly: true, description: 'The path of its data.' },
  schema: { ...text, readOnly: true, description: 'The path of this schema.' },
  locations: {
    type: 'array',
    items: {
      type: 'object',
      properties: { url: { ...text, maxLength: 255 }, metadata: { type: 'object' } },
      required: ['url', 'metadata'],
    },
    description: 'Where the data is in each store.',
  },
}

export const imageSchema = {
  name: 'image',
  properties,
  additionalProperties: text,
  links: [
    { rel: 'self', href: '{self}' },
    { rel: 'enclosure', href: '{file}' },
    { rel: 'describedby', href: '{schema}' },
  ],
}

export const imagesSchema = {
  name: 'images',
  properties: {
    images: { type: 'array', items: imageSchema },
    first: text,
    next: text,
    schema: text,
  },
  links: [
    { rel: 'first', href: '{first}' },
    { rel: 'next', href: '{next}' },
    { rel: 'describedby', href: '{schema}' },
  ],
}
