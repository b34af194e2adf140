import type { ChangeQuery, FollowedKind } from '../../src/directory-store/change-list.ts'
import type { ListedKind, ListQuery } from '../../src/directory-store/directory-list.ts'
import type { DirectoryLog } from '../../src/directory-store/directory-log.ts'

/** A log that passes each call to the present log, except for some methods. */
export const delegatingLog = (
  present: () => DirectoryLog,
  part: Partial<DirectoryLog> = {},
): DirectoryLog => ({
  latest: () => present().latest(),
  surveyTenants: (...limits) => present().surveyTenants(...limits),
  changesAfter: (...known) => present().changesAfter(...known),
  commit: (...commit) => present().commit(...commit),
  exclusively: (write) => present().exclusively(write),
  list: <Kind extends ListedKind>(query: ListQuery<Kind>) => present().list(query),
  listChanges: <Kind extends FollowedKind>(query: ChangeQuery<Kind>) =>
    present().listChanges(query),
  deletedBefore: (...limits) => present().deletedBefore(...limits),
  prune: () => present().prune(),
  ...part,
})
