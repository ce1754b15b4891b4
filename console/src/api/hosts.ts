import type {
  ChangedHosts,
  ChangeHostsBody,
  HostsPreview,
  PreviewHostsBody,
  UndoneHosts,
} from '../../../src/wire/host-changes.ts'
import { askJson } from './http.ts'

export const previewHosts = (body: PreviewHostsBody): Promise<HostsPreview> =>
  askJson('/v1/hosts/preview', { method: 'POST', body })

const write = <Answer>(path: string, body: unknown): Promise<Answer> =>
  askJson(path, { method: 'POST', body, headers: { 'idempotency-key': crypto.randomUUID() } })

export const changeHosts = (body: ChangeHostsBody): Promise<ChangedHosts> => write('/v1/hosts/change', body)

export const undoHosts = (revision: number): Promise<UndoneHosts> => write('/v1/hosts/undo', { revision })
