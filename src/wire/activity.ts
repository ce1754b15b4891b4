import { list, object, orNull, type TypeOf, text, whole } from './shape.ts'

export const ACTIVITY_LIMIT_DEFAULT = 50
export const ACTIVITY_LIMIT_MAX = 200

const activityEntryShape = object('A change by one caller, or several of one kind in a row.', {
  at: text('Time of the change; of the last of several.'),
  since: text('Time of the first of several changes.'),
  revision: whole('Revision of the change; of the last of several.'),
  first_revision: whole('Revision of the first of several changes; otherwise the same.'),
  count: whole('The number of changes of this kind by this caller in a row.'),
  user: orNull(
    text('The id of the caller; null for the server itself, or if the audit log does not have it.'),
  ),
  user_name: orNull(text('The name of the caller; null if the server does not know it.')),
  request_id: orNull(text('The request; the last of several.')),
  command: orNull(
    text('The kind of command, such as `placement:create-provider`; null for the server itself.'),
  ),
  text: text('What changed, in words; in the last of several.'),
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
  revision: whole('The last revision at the time of the answer. Use it as `after` to get newer entries.'),
  next: orNull(
    text('Use it as `before` to get older entries; null if there are none, or if they are no longer kept.'),
  ),
})

export type Activity = TypeOf<typeof activityShape>
export type ActivityEntry = TypeOf<typeof activityEntryShape>
