import type { Activity } from '../../../src/wire/activity.ts'
import type { Forecasts, History } from '../../../src/wire/history.ts'
import type { UsageScope } from '../usage/scope.ts'
import { askJson, queryOf } from './http.ts'

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
