import { objectOf, oneOf, text, whole } from '../../http/formats/schema-forms.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { absentField, flagField, openObject, sizeField, textField } from '../bodies.schemas.ts'
import type { Features } from '../versions.ts'
import { STATUSES, TASK_STATES } from './states.ts'

export const resetStatusSchema = openObject({ status: oneOf(...STATUSES) }, ['status'])

export const resetTaskStateSchema = openObject({ task_state: oneOf(...TASK_STATES, 'None', null) }, [
  'task_state',
])

export const resizeSchema = openObject({ new_size: sizeField }, ['new_size'])

/** The flags of a migration that must be given. */
export const FLAGS = ['preserve_metadata', 'writable', 'nondisruptive', 'preserve_snapshots'] as const

export const migrateSchema = openObject(
  {
    host: { type: 'string', minLength: 1, maxLength: 255, description: 'A pool, host@backend#pool.' },
    ...Object.fromEntries(FLAGS.map(name => [name, flagField])),
    force_host_assisted_migration: {
      ...flagField,
      description: `If true, ${FLAGS.join(', ')} must be false.`,
    },
    force: flagField,
    new_share_network_id: absentField,
    new_share_type_id: textField,
  },
  ['host', ...FLAGS],
)

export const progressSchema = ({ migrationDetails }: Features): Schema =>
  objectOf({
    total_progress: whole,
    task_state: text,
    ...(migrationDetails && { details: objectOf({}) }),
  })
