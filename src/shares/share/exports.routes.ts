import { ApiError, json, param } from '../../http/api.ts'
import { flag, listOf, objectOf, text, textOrNull } from '../../http/formats/schema-forms.ts'
import { isAdmin } from '../../http/policy.ts'
import type { ShareRow } from '../../world/shares.ts'
import { renderTime } from '../bodies.ts'
import { requireVisibleShare, type ShareApiRequest, type ShareContext, type ShareRoute } from '../context.ts'
import { exportIdOf, instanceIdOf } from './export-ids.ts'

const locationFields = { id: text, path: text, preferred: flag }
const forAdmins = { share_instance_id: text, is_admin_only: flag }

export function exportRoutes(context: ShareContext): ShareRoute[] {
  const all = '/shares/{share_id}/export_locations'
  const share = (request: ShareApiRequest) =>
    requireVisibleShare(context, request, param(request, 'share_id'))
  return [
    {
      method: 'GET',
      path: all,
      operation: 'share_export_location:index',
      summary: 'List the export locations of a share',
      answers: { 200: objectOf({ export_locations: listOf(objectOf(locationFields, forAdmins)) }) },
      since: 'exportLocations',
      handle(request) {
        const row = share(request)
        const locations = row.export_path === null ? [] : [locationBody(context, request, row)]
        return json(200, { export_locations: locations })
      },
    },
    {
      method: 'GET',
      path: `${all}/{location_id}`,
      operation: 'share_export_location:show',
      summary: 'Show an export location of a share',
      answers: {
        200: objectOf({
          export_location: objectOf(
            { ...locationFields, created_at: text, updated_at: textOrNull },
            forAdmins,
          ),
        }),
      },
      since: 'exportLocations',
      handle(request) {
        const row = share(request)
        const id = param(request, 'location_id')
        if (row.export_path === null || exportIdOf(row) !== id)
          throw new ApiError(404, `Share ${row.uuid} has no export location ${id}.`)
        const times = { created_at: renderTime(row.created_at), updated_at: renderTime(row.updated_at) }
        return json(200, { export_location: { ...locationBody(context, request, row), ...times } })
      },
    },
  ]
}

const locationBody = (context: ShareContext, request: ShareApiRequest, row: ShareRow) => ({
  id: exportIdOf(row),
  path: row.export_path,
  preferred: false,
  ...(isAdmin(context, request.credentials)
    ? { share_instance_id: instanceIdOf(row), is_admin_only: false }
    : {}),
})
