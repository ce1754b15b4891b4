import { list, object, orNull, type TypeOf, text, whole } from './shape.ts'

export const ACTIVITY_LIMIT_DEFAULT = 50
export const ACTIVITY_LIMIT_MAX = 200

const activityEntryShape = object('What one caller did, once or several times in a row.', {
  at: text('When; of several the last time.'),
  since: text('When; of several the first time.'),
  revision: whole('The revision that it made; of several the last.'),
  first_revision: whole('Of several the first; otherwise the same.'),
  count: whole('How many changes of this kind came in a row, by the same caller.'),
  user: orNull(text('The id of the caller; null: the server itself, or the audit log does not have it.')),
  user_name: orNull(text('What the caller is called; null where the server cannot know.')),
  request_id: orNull(text('The request; of several the last.')),
  command: orNull(text('What was asked for, such as `placement:create-provider`; null: the server itself.')),
  text: text('What changed, in words; of several the last.'),
  subjects: list(
    object('A thing that changed.', {
      name: text('Its name.'),
      link: text('Its page in the console, as a path.'),
    }),
    'The first things that the text names.',
  ),
})

export const activityShape = object('What changed.', {
  entries: list(activityEntryShape, 'The newest first.'),
  revision: whole(
    'The last revision when the answer was made: `after` of the next request for what is newer.',
  ),
  next: orNull(text('For `before`, to read on; null: there is nothing older, or it is no longer kept.')),
})

export type Activity = TypeOf<typeof activityShape>
export type ActivityEntry = TypeOf<typeof activityEntryShape>
