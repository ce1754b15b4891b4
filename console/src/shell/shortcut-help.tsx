import { Kbd, Table } from '@mantine/core'
import { Dialog } from '../controls/dialog.tsx'
import { useSession } from '../session/session.tsx'
import { allDestinations, isOffered } from './destinations.ts'

const others: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['/'], 'Find a host, a flavor or a page'],
  [['?'], 'Show this list'],
  [['↑', '↓'], 'Go from row to row, from tile to tile, through a tree'],
  [['←', '→'], 'Close and open a branch of a tree; go sideways in the map'],
  [['Enter'], 'Open what is chosen'],
  [['Esc'], 'Close a dialog'],
]

export default function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const session = useSession()
  const rows = [
    ...others,
    ...allDestinations
      .filter(one => isOffered(one, session))
      .map(({ key, label }) => [['g', key], `Go to ${label}`] as const),
  ]
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <Table>
        <Table.Tbody>
          {rows.map(([keys, text]) => (
            <Table.Tr key={text}>
              <Table.Th scope="row" w={110}>
                {keys.map(key => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Th>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  )
}
