import type { Activity } from '../../../src/wire/activity.ts'
import type { Forecasts, History } from '../../../src/wire/history.ts'
import { askJson, queryOf } from './http.ts'

/** At most one of them; none is the whole cloud. */
export interface UsageScope {
  readonly zone?: string
  readonly aggregate?: string
  readonly host?: string
}

export const readHistory = (scope: UsageScope, span: History['span'], points: number): Promise<History> =>
  askJson(`/v1/history${queryOf({ ...scope, span, points })}`)

export const readForecasts = ({ zone, aggregate }: UsageScope): Promise<Forecasts> =>
  askJson(`/v1/forecast${queryOf({ zone, aggregate })}`)

export const readActivity = (asked: {
  readonly about?: string
  readonly user?: string
  readonly before?: string
  readonly limit: number
}): Promise<Activity> => askJson(`/v1/activity${queryOf(asked)}`)
