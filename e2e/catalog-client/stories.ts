import assert from 'node:assert/strict'
import type { Claims } from '../claims.ts'
import type { Glance } from './glance.ts'

interface Stage {
  readonly glance: Glance
  readonly claims: Claims
}

export type Story = (stage: Stage) => Promise<void>

const NS = 'Acme::E2E'
const names = (rows: readonly Readonly<Record<string, string>>[], column = 'name') =>
  rows.map(row => row[column]).toSorted()

export const namespaces: Story = async ({ glance, claims }) => {
  await claims.claim('a namespace is created, shown, changed, listed and deleted', async () => {
    const made = await glance.shown(
      'md-namespace-create',
      NS,
      '--display-name',
      'Made',
      '--visibility',
      'public',
    )
    assert.deepEqual([made.namespace, made.display_name, made.visibility], [NS, 'Made', 'public'])
    assert.equal((await glance.shown('md-namespace-show', NS)).protected, 'False')
    const changed = await glance.shown('md-namespace-update', NS, '--display-name', 'Changed')
    assert.equal(changed.display_name, 'Changed')
    assert(names(await glance.rows('md-namespace-list'), 'namespace').includes(NS))
    await glance.quiet('md-namespace-delete', NS)
    assert.match(await glance.refused('md-namespace-show', NS), /HTTP 404.*Acme::E2E/)
  })

  await claims.claim('pages of one are followed to the end', async () => {
    for (const name of ['p1', 'p2', 'p3']) await glance.say('md-namespace-create', `${NS}::${name}`)
    const listed = await glance.rows('md-namespace-list', '--page-size', '1')
    for (const name of ['p1', 'p2', 'p3']) {
      assert(names(listed, 'namespace').includes(`${NS}::${name}`))
      await glance.quiet('md-namespace-delete', `${NS}::${name}`)
    }
  })

  await claims.claim('a taken name is a conflict, and a name in another script a name', async () => {
    await glance.say('md-namespace-create', 'Größe 名前')
    assert.match(await glance.refused('md-namespace-create', 'Größe 名前'), /HTTP 409/)
    assert.equal((await glance.shown('md-namespace-show', 'Größe 名前')).namespace, 'Größe 名前')
    await glance.quiet('md-namespace-delete', 'Größe 名前')
  })

  await claims.claim('a protected namespace is not deleted until the protection is lifted', async () => {
    await glance.say('md-namespace-create', NS, '--protected', 'True')
    assert.match(await glance.refused('md-namespace-delete', NS), /HTTP 403.*protected/)
    await glance.say('md-namespace-update', NS, '--protected', 'False')
    await glance.quiet('md-namespace-delete', NS)
  })
}

const SCHEMA = JSON.stringify({ type: 'string', enum: ['gold', 'silver'], operators: ['<or>'] })

export const properties: Story = async ({ glance, claims }) => {
  await glance.say('md-namespace-create', NS)
  await claims.claim('a property with operators is created, shown, listed, changed and deleted', async () => {
    const words = [NS, '--name', 'tier', '--title', 'Tier', '--schema', SCHEMA]
    const made = await glance.shown('md-property-create', ...words)
    assert.deepEqual([made.name, made.operators], ['tier', '["<or>"]'])
    const shown = await glance.shown('md-property-show', NS, 'tier')
    assert.deepEqual([shown.title, shown.enum], ['Tier', '["gold", "silver"]'])
    assert.deepEqual(names(await glance.rows('md-property-list', NS)), ['tier'])
    const schema = JSON.stringify({ operators: ['<or>', '<in>'] })
    const changed = await glance.shown('md-property-update', NS, 'tier', '--schema', schema)
    assert.equal(changed.operators, '["<or>", "<in>"]')
    await glance.quiet('md-property-delete', NS, 'tier')
    assert.match(await glance.refused('md-property-show', NS, 'tier'), /HTTP 404/)
  })

  await claims.claim('all properties go at once', async () => {
    for (const name of ['a', 'b:c', 'd e'])
      await glance.say(
        'md-property-create',
        NS,
        '--name',
        name,
        '--title',
        'T',
        '--schema',
        '{"type":"integer"}',
      )
    assert.deepEqual(names(await glance.rows('md-property-list', NS)), ['a', 'b:c', 'd e'])
    await glance.quiet('md-namespace-properties-delete', NS)
    assert.deepEqual(await glance.rows('md-property-list', NS), [])
  })

  await claims.claim('an invalid property is refused by the schema that the server serves', async () => {
    const schema = '{"type":"text"}'
    await glance.refused('md-property-create', NS, '--name', 'x', '--title', 'X', '--schema', schema)
    assert.deepEqual(await glance.rows('md-property-list', NS), [])
  })
  await glance.quiet('md-namespace-delete', NS)
}

export const objects: Story = async ({ glance, claims }) => {
  await glance.say('md-namespace-create', NS)
  await claims.claim('an object is created, shown with its properties, changed and deleted', async () => {
    const property = { title: 'Level', type: 'string', operators: ['<all-in>'] }
    const schema = JSON.stringify({
      description: 'Quality',
      required: ['level'],
      properties: { level: property },
    })
    const made = await glance.shown('md-object-create', NS, '--name', 'QoS', '--schema', schema)
    assert.deepEqual([made.name, made.properties], ['QoS', '["level"]'])
    assert.equal((await glance.shown('md-object-show', NS, 'QoS')).description, 'Quality')
    const inside = await glance.shown('md-object-property-show', NS, 'QoS', 'level')
    assert.deepEqual([inside.name, inside.operators], ['level', '["<all-in>"]'])
    assert.deepEqual(names(await glance.rows('md-object-list', NS)), ['QoS'])
    const changed = await glance.shown('md-object-update', NS, 'QoS', '--schema', '{"description":"Other"}')
    assert.equal(changed.description, 'Other')
    await glance.quiet('md-object-delete', NS, 'QoS')
    assert.match(await glance.refused('md-object-show', NS, 'QoS'), /HTTP 404/)
  })

  await claims.claim('all objects go at once', async () => {
    for (const name of ['a', 'b']) await glance.say('md-object-create', NS, '--name', name, '--schema', '{}')
    await glance.quiet('md-namespace-objects-delete', NS)
    assert.deepEqual(await glance.rows('md-object-list', NS), [])
  })
  await glance.quiet('md-namespace-delete', NS)
}

export const tags: Story = async ({ glance, claims }) => {
  await glance.say('md-namespace-create', NS)
  await claims.claim('a tag is created, shown, renamed and deleted', async () => {
    assert.equal((await glance.shown('md-tag-create', NS, '--name', 'red')).name, 'red')
    assert.equal((await glance.shown('md-tag-show', NS, 'red')).name, 'red')
    assert.equal((await glance.shown('md-tag-update', NS, 'red', '--name', 'green')).name, 'green')
    assert.match(await glance.refused('md-tag-show', NS, 'red'), /HTTP 404/)
    await glance.quiet('md-tag-delete', NS, 'green')
  })

  // Not with --append: the client sends a header that is not text, and fails by itself.
  await claims.claim('many tags replace those that were there, and go at once', async () => {
    await glance.rows('md-tag-create-multiple', NS, '--names', 'a,b')
    await glance.rows('md-tag-create-multiple', NS, '--names', 'c')
    assert.deepEqual(names(await glance.rows('md-tag-list', NS)), ['c'])
    await glance.quiet('md-namespace-tags-delete', NS)
    assert.deepEqual(await glance.rows('md-tag-list', NS), [])
  })
  await glance.quiet('md-namespace-delete', NS)
}

export const resourceTypes: Story = async ({ glance, claims }) => {
  await glance.say('md-namespace-create', NS)
  await claims.claim('a type of resource is associated, listed and dissociated', async () => {
    const words = [NS, '--name', 'OS::Acme::Thing', '--prefix', 'acme_']
    const made = await glance.shown('md-resource-type-associate', ...words)
    assert.deepEqual([made.name, made.prefix], ['OS::Acme::Thing', 'acme_'])
    const listed = await glance.rows('md-namespace-resource-type-list', NS)
    assert.deepEqual([listed[0]?.name, listed[0]?.prefix], ['OS::Acme::Thing', 'acme_'])
    assert(names(await glance.rows('md-resource-type-list')).includes('OS::Acme::Thing'))
    const seen = await glance.rows('md-namespace-list', '--resource-types', 'OS::Acme::Thing')
    assert.deepEqual(names(seen, 'namespace'), [NS])
    await glance.quiet('md-resource-type-deassociate', NS, 'OS::Acme::Thing')
    assert.deepEqual(await glance.rows('md-namespace-resource-type-list', NS), [])
  })
  await glance.quiet('md-namespace-delete', NS)
}

const FILE = {
  namespace: NS,
  display_name: 'Imported',
  visibility: 'public',
  protected: true,
  resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'acme:' }],
  properties: {
    features: {
      title: 'Features',
      type: 'array',
      operators: ['<or>', '<all-in>'],
      items: { type: 'string', enum: ['aes', 'vme'] },
    },
  },
  objects: [{ name: 'Limits', properties: { iops: { title: 'IOPS', type: 'integer', minimum: 1 } } }],
  tags: [{ name: 'imported' }],
}

export const importing: Story = async ({ glance, claims }) => {
  await claims.claim('a definition file is imported with everything in it', async () => {
    const path = await glance.file('definition.json', FILE)
    const made = await glance.shown('md-namespace-import', '--file', path)
    assert.deepEqual([made.namespace, made.display_name], [NS, 'Imported'])
    assert.equal((await glance.shown('md-property-show', NS, 'features')).operators, '["<or>", "<all-in>"]')
    assert.deepEqual(names(await glance.rows('md-object-list', NS)), ['Limits'])
    assert.deepEqual(names(await glance.rows('md-tag-list', NS)), ['imported'])
    const asFlavor = await glance.shown('md-namespace-show', NS, '--resource-type', 'OS::Nova::Flavor')
    assert.equal(asFlavor.properties, '["acme:features"]')
  })

  await claims.claim(
    'importing it again is a conflict, and changing the namespace keeps its contents',
    async () => {
      const path = await glance.file('definition.json', FILE)
      assert.match(await glance.refused('md-namespace-import', '--file', path), /HTTP 409/)
      await glance.say('md-namespace-update', NS, '--protected', 'False')
      assert.deepEqual(names(await glance.rows('md-property-list', NS)), ['features'])
      await glance.quiet('md-namespace-delete', NS)
    },
  )

  await claims.claim('a wrong token gets nothing', async () => {
    assert.match(
      await glance.refused('--os-auth-token', 'wrong', 'md-namespace-list'),
      /401|Invalid|Unauthorized/i,
    )
  })
}
