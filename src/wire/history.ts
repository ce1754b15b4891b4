import { list, number, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

export const HISTORY_POINTS_DEFAULT = 300
export const HISTORY_POINTS_MAX = 1_500

const scopeShape = object('What it is about.', {
  kind: oneOf('Its kind.', 'cloud', 'zone', 'aggregate', 'host'),
  name: orNull(text('Its name; null for the cloud.')),
})

const seriesShape = object(
  'One value for each step; null where nothing was recorded.',
  {
    resource_class: orNull(text('The class; null for a host, of which the tightest class is kept.')),
    used: list(orNull(number('An amount.')), 'The mean of the step; of a host in percent.'),
    used_min: list(orNull(number('An amount.')), 'The lowest; of a host the same as the mean.'),
    used_max: list(orNull(number('An amount.')), 'The highest.'),
    capacity: list(
      orNull(number('An amount.')),
      '(total - reserved) x ratio at the end of the step; of a host 100.',
    ),
  },
  {
    tightest: list(orNull(text('A class.')), 'Of a host: which class was the tightest when it was fullest.'),
  },
)

export const historyShape = object('Usage over time.', {
  scope: scopeShape,
  span: oneOf('How far back it goes.', 'day', 'month', 'year'),
  from: text('When the first step begins.'),
  step_s: whole('How long each step is, in seconds.'),
  steps: whole('How many steps; the last is under way.'),
  recorded_from: orNull(text('The first step with a value; null: nothing was recorded.')),
  gaps: list(
    object('Nothing was recorded.', { from: text('Since when.'), to: text('Until when.') }),
    'Gaps after the first step with a value: no server ran, or none could write.',
  ),
  made_up_until: orNull(text('Until here the demo made the values up; null: they were all measured.')),
  series: list(seriesShape, 'By class.'),
})

const daysAhead = (description: string) => orNull(number(`${description} In days from now.`))

const forecastShape = object('When a class ends in a zone.', {
  scope: scopeShape,
  resource_class: text('The class.'),
  outcome: oneOf(
    'Full: it is used up now. Ends: within the horizon. No end: not within the horizon. Too little data: nothing is said.',
    'full',
    'ends',
    'no-end',
    'too-little-data',
  ),
  text: text('The forecast in words.'),
  used: number('Used now.'),
  capacity: number('The capacity now.'),
  soonest_days: daysAhead(
    'The soonest end; with 80 % confidence it is not earlier. Null if it does not end.',
  ),
  likely_days: daysAhead('The end if the trend goes on. Null: not within the horizon.'),
  latest_days: daysAhead('The latest end. Null: not within the horizon, perhaps never.'),
  days_known: whole('The days that the forecast is made from.'),
  days_needed: whole('It takes as many days to make one.'),
  horizon_days: orNull(whole('How far ahead it looks. Null without a forecast.')),
  made_up: yesOrNo('The demo made some of the days up.'),
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
