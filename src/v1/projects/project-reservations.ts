import type { ProjectFacts } from '../../wire/projects.ts'
import type { ReservationRow } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'

/** Without hosts, which members may not see. */
export const listProjectReservations = (
  { reservations }: World,
  project: string,
): ProjectFacts['reservations'] =>
  reservations.rows
    .all()
    .filter(({ kind, project_id }) => kind === 'project' && project_id === project)
    .map(row => ({
      name: row.name,
      flavor: findFlavorName(row),
      count: row.servers,
      held: reservations.countSlots(row.id),
      used: row.used,
      from: row.from_at,
      until: row.until_at,
    }))

const findFlavorName = ({ request }: ReservationRow): string => JSON.parse(request).flavor.name
