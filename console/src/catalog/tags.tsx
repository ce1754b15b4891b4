import { useQueryClient } from '@tanstack/react-query'
import type { MetadefNamespace } from '../../../src/wire/openstack-metadefs.ts'
import { addTag, deleteTag } from '../api/catalog.ts'
import { ChipList } from '../controls/chip-list.tsx'
import { useSession } from '../session/session.tsx'

/** Tags of a namespace. */
export function Tags({ definition }: { readonly definition: MetadefNamespace }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const { namespace, tags = [] } = definition
  return (
    <div>
      <h2>Tags</h2>
      <ChipList
        label="Tags"
        names={tags.map(({ name }) => name)}
        empty="None. A tag is a word by which a namespace is found."
        tone="accent"
        removing={{ label: name => `Remove the tag ${name}`, whyNot: whyNot('delete_metadef_tag') }}
        adding={{
          label: 'New tag',
          submit: 'Add the tag',
          whyNot: whyNot('add_metadef_tag'),
          whyEmpty: 'It needs a name.',
        }}
        onChange={(name, isIn) => (isIn ? addTag(namespace, name) : deleteTag(namespace, name))}
        onDone={() => queries.invalidateQueries({ queryKey: ['catalog'] })}
      />
    </div>
  )
}
