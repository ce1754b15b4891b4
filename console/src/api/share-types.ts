import { ask, askJson } from './http.ts'

const headers = { 'x-openstack-manila-api-version': '2.83' }
const at = (id: string, part: string): string =>
  `/share/v2/types/${encodeURIComponent(id)}/extra_specs${part}`

export const setTypeSpecs = (id: string, extra_specs: Readonly<Record<string, string>>): Promise<unknown> =>
  askJson(at(id, ''), { method: 'POST', body: { extra_specs }, headers })

export const deleteTypeSpec = (id: string, key: string): Promise<unknown> =>
  ask(at(id, `/${encodeURIComponent(key)}`), { method: 'DELETE', headers })
