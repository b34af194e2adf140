/** A part of a run of `registrations` that takes long when there are many applications. */
export type Activity =
  | 'read_applications'
  | 'read_service_principals'
  | 'read_role_assignments'
  | 'read_credentials_and_owners'
  | 'apply_changes'

/** Receives the progress of an activity; `total` is undefined while it is unknown. */
export type OnProgress = (activity: Activity, done: number, total: number | undefined) => void
