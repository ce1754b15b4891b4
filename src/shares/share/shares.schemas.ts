import type { AnswerSchemas } from '../../http/api.ts'
import {
  flag,
  links,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  text,
  textOrNull,
  whole,
} from '../../http/formats/schema-forms.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import {
  absentField,
  flagField,
  metadataField,
  nameFields,
  openObject,
  sizeField,
  textField,
  wrapped,
} from '../bodies.schemas.ts'
import type { Features } from '../versions.ts'

export const shareSchema = (features: Features): Schema =>
  objectOf(
    {
      id: text,
      size: whole,
      availability_zone: textOrNull,
      created_at: text,
      status: text,
      name: textOrNull,
      description: textOrNull,
      project_id: text,
      snapshot_id: textOrNull,
      share_network_id: textOrNull,
      share_proto: text,
      metadata: mapOf(text),
      is_public: flag,
      share_type: text,
      volume_type: text,
      links,
      ...(!features.exportLocations && { export_location: textOrNull, export_locations: listOf(text) }),
      ...(features.snapshotSupport && { snapshot_support: flag }),
      ...(features.taskState && { task_state: textOrNull }),
      ...(features.typeIds && { share_type_name: text }),
      ...(features.accessRulesStatus && { access_rules_status: text }),
      ...(features.replication && { replication_type: textOrNull, has_replicas: flag }),
      ...(features.userId && { user_id: text }),
      ...(features.createFromSnapshotSupport && { create_share_from_snapshot_support: flag }),
      ...(features.revertSupport && { revert_to_snapshot_support: flag }),
      ...(features.shareGroups && {
        share_group_id: textOrNull,
        source_share_group_snapshot_member_id: textOrNull,
      }),
      ...(features.mountSnapshotSupport && { mount_snapshot_support: flag }),
      ...(features.progress && { progress: textOrNull }),
      ...(features.softDelete && { is_soft_deleted: flag, scheduled_to_be_deleted_at: textOrNull }),
      ...(features.backupSource && { source_backup_id: textOrNull }),
    },
    { share_server_id: textOrNull, host: { ...text, description: 'For admins only.' } },
  )

export const listAnswers = ({ withCount }: Features, share: Schema): AnswerSchemas => ({
  200: objectOf({ shares: listOf(share) }, { shares_links: links, ...(withCount && { count: whole }) }),
})

export const oneAnswer = (features: Features): AnswerSchemas => ({
  200: objectOf({ share: shareSchema(features) }),
})

const hintedShares: Schema = {
  description: 'Ids of shares: a list, or a text with commas.',
  anyOf: [listOf(text), textOrNull],
}
const hintsFor = ({ onlyHostHint }: Features): Schema => ({
  ...openObject({
    same_host: hintedShares,
    different_host: hintedShares,
    ...(onlyHostHint && { only_host: textOrNull }),
  }),
  type: ['object', 'null'],
})

export const createSchema = (features: Features): Schema =>
  wrapped(
    'share',
    openObject(
      {
        ...nameFields,
        size: sizeField,
        share_proto: { type: 'string', pattern: '^([Nn][Ff][Ss]|[Cc][Ii][Ff][Ss])$' },
        is_public: flagField,
        share_type: { ...textField, description: 'By name or id; not together with volume_type.' },
        volume_type: textField,
        snapshot_id: textField,
        metadata: { anyOf: [metadataField(), oneOf(null)] },
        share_group_id: absentField,
        share_network_id: absentField,
        source_backup_id: absentField,
        ...(features.zoneAtCreate && { availability_zone: textField }),
        ...(features.hints && { scheduler_hints: hintsFor(features) }),
      },
      ['size', 'share_proto'],
    ),
  )

export const updateSchema = wrapped('share', openObject({ ...nameFields, is_public: flagField }))
