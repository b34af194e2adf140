import type { AuditRecord } from '../../src/audit/audit-record.ts'
import type { Commit } from '../../src/directory-store/commit.ts'
import { guid } from '../directory/sample.ts'

/** The mark that tests give to the commit with this number. */
export const markAt = (revision: number): string => `mark ${revision}`

/** The commit with this number, with the mark that tests give to it. */
export const commitAt = (revision: number): Commit => ({
  revision,
  mark: revision === 0 ? null : markAt(revision),
})

/** Commits that a follower may know of a log that is at commit 2, and whether the log has them. */
export const knownCommits: readonly (readonly [string, Commit, boolean])[] = [
  ['the state before the first commit', commitAt(0), true],
  ['an earlier commit', commitAt(1), true],
  ['its latest commit', commitAt(2), true],
  ['an earlier commit with another mark', { revision: 1, mark: 'another' }, false],
  ['a commit like its latest, with another mark', { revision: 2, mark: 'another' }, false],
  ['a commit like its latest, without a mark', { revision: 2, mark: null }, false],
  ['a later commit', commitAt(3), false],
  ['a later commit without a mark', { revision: 3, mark: null }, false],
]

/** Bases of a commit that a log which is at commit 1 does not have. */
export const foreignBases: readonly (readonly [string, Commit])[] = [
  ['a base with another mark', { revision: 1, mark: 'another' }],
  ['a base without a mark', { revision: 1, mark: null }],
  ['a later base', commitAt(2)],
]

/** The audit record of a change to this object. */
export const recordOf = (target: string): AuditRecord => ({
  at: new Date('2030-01-01T00:00:00.123Z'),
  tenantId: guid(1),
  actor: 'an administrator',
  action: 'tenant.update',
  target,
  outcome: 'done',
  reason: null,
  correlationId: null,
})
