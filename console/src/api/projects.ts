import type { ProjectFacts, ProjectFit, ProjectServer, ProjectServers } from '../../../src/wire/projects.ts'
import { askJson, pathOf, queryOf } from './http.ts'

export const readProject = (project: string): Promise<ProjectFacts> =>
  askJson(pathOf`/v1/projects/${project}`)

/** The last changed first; `total` counts the others too. */
export const readProjectServers = (project: string, limit: number): Promise<ProjectServers> =>
  askJson(pathOf`/v1/projects/${project}/servers` + queryOf({ limit }))

/** By a part of the name or the beginning of the uuid. */
export const findProjectServers = async (project: string, q: string): Promise<readonly ProjectServer[]> =>
  (await askJson<ProjectServers>(pathOf`/v1/projects/${project}/servers` + queryOf({ q, limit: 10 }))).servers

/** Null: the project has no such server. */
export async function readProjectServer(project: string, uuid: string): Promise<ProjectServer | null> {
  const path = pathOf`/v1/projects/${project}/servers` + queryOf({ q: uuid })
  return (await askJson<ProjectServers>(path)).servers.find(one => one.uuid === uuid) ?? null
}

export const readProjectFit = (project: string): Promise<ProjectFit> =>
  askJson(pathOf`/v1/projects/${project}/fit`)
