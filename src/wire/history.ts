import { list, number, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

export const HISTORY_POINTS_DEFAULT = 300
export const HISTORY_POINTS_MAX = 1_500

const scopeShape = object('The scope.', {
  kind: oneOf('Its kind.', 'cloud', 'zone', 'aggregate', 'host'),
  name: orNull(text('Its name; null for the cloud.')),
})

const seriesShape = object(
  'One value for each step; null where nothing was recorded.',
  {
    resource_class: orNull(
      text('The resource class; null for a host, which has the usage of its tightest class.'),
    ),
    used: list(orNull(number('An amount.')), 'The mean of the step; for a host in percent.'),
    used_min: list(orNull(number('An amount.')), 'The minimum; for a host the same as the mean.'),
    used_max: list(orNull(number('An amount.')), 'The highest.'),
    capacity: list(
      orNull(number('An amount.')),
      '(total - reserved) x ratio at the end of the step; of a host 100.',
    ),
  },
  {
    tightest: list(orNull(text('A class.')), 'For a host: its tightest class when it was fullest.'),
  },
)

export const historyShape = object('Usage over time.', {
  scope: scopeShape,
  span: oneOf('How far back it goes.', 'day', 'month', 'year'),
  from: text('Start of the first step.'),
  step_s: whole('Length of a step in seconds.'),
  steps: whole('The number of steps. The last one is not over yet.'),
  recorded_from: orNull(text('The first step with a value; null if nothing was recorded.')),
  gaps: list(
    object('Nothing was recorded.', { from: text('Since when.'), to: text('Until when.') }),
    'Gaps after the first step with a value: no server ran, or none could write.',
  ),
  made_up_until: orNull(text('The demo made up the values until this time; null if all were measured.')),
  series: list(seriesShape, 'By class.'),
})

const daysAhead = (description: string) => orNull(number(`${description} In days from now.`))

const forecastShape = object('The forecast of one resource class in a zone.', {
  scope: scopeShape,
  resource_class: text('The class.'),
  outcome: oneOf(
    'Full: used up now. Ends: will be used up within the horizon. No end: not within the horizon. Too little data: no forecast.',
    'full',
    'ends',
    'no-end',
    'too-little-data',
  ),
  text: text('The forecast in words.'),
  used: number('Used now.'),
  capacity: number('The capacity now.'),
  soonest_days: daysAhead(
    'The earliest end of the 80 % confidence interval; null if the class does not end.',
  ),
  likely_days: daysAhead('The end if the trend continues; null if not within the horizon.'),
  latest_days: daysAhead('The latest end of the interval; null if not within the horizon, perhaps never.'),
  days_known: whole('The number of days that the forecast is based on.'),
  days_needed: whole('The number of days that a forecast needs.'),
  horizon_days: orNull(whole('The horizon in days; null without a forecast.')),
  made_up: yesOrNo('The demo made up some of the days.'),
})

export const forecastsShape = object('Forecasts.', {
  at: text('When they were made.'),
  method: text('How.'),
  forecasts: list(forecastShape, 'The soonest end first.'),
})

export type History = TypeOf<typeof historyShape>
export type HistorySeries = TypeOf<typeof seriesShape>
export type HistoryScope = TypeOf<typeof scopeShape>
export type Forecast = TypeOf<typeof forecastShape>
export type Forecasts = TypeOf<typeof forecastsShape>
