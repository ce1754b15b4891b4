import { integer, table, text } from './table.ts'

/**
 * One row: which side answers while another Placement is shadowed. `hold_until`: writes wait until then, or until `held` names every
 * process. `processes` has when each was last seen, `held` which of them hold writes: both are JSON. The leader sends what is queued.
 */
export const shadowSettings = table(
  'shadow_settings',
  {
    id: integer,
    reads: text,
    writes: text,
    is_ended: integer,
    hold_until: integer,
    held: text,
    processes: text,
    leader: text,
    leader_until: integer,
    changed_at: integer,
  },
  ['id'],
)
