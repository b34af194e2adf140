import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import type { ChangePosition, ChangeQuery, FollowedKind } from '../../src/live/change-list.ts'
import type { DirectoryLog } from '../../src/live/directory-log.ts'
import { type DirectoryChange, put, remove } from '../../src/model/directory-change.ts'
import type { FreshStorage } from './fresh-storage.ts'

const deletedDateTime = new Date('2030-01-01T00:00:00Z')
const elsewhere = { tenantId: guid(2) }
const app = (number: number, part = {}) =>
  put(
    'application',
    application({ id: guid(0x100 + number), appId: guid(0x200 + number), ...part }),
  )
const principal = (number: number, part = {}) =>
  put(
    'servicePrincipal',
    servicePrincipal({ id: guid(0x300 + number), appId: guid(0x200 + number), ...part }),
  )

/** The changes of each commit, from the first. */
const commits: readonly (readonly DirectoryChange[])[] = [
  [put('tenant', tenant()), ...[0, 1, 2, 3, 4].flatMap((one) => [app(one), principal(one)])],
  [app(5, elsewhere), principal(5, elsewhere), principal(6, { ...elsewhere, appId: guid(0x200) })],
  [app(1, { displayName: 'Changed' }), put('appRoleAssignment', appRoleAssignment())],
  [app(2, { deletedDateTime }), principal(2, { deletedDateTime })],
  [remove('application', guid(0x103)), remove('servicePrincipal', guid(0x303))],
  [app(0, { identifierUris: ['api://changed'] }), remove('application', guid(0x105))],
]

/** Tests that every directory log lets clients follow the changes of a tenant. */
export function changeListConformance(fresh: FreshStorage): void {
  const latest = commitAt(commits.length)
  // No test writes to this log. The test that writes has a log of its own.
  let log: DirectoryLog
  before(async () => {
    log = await filled()
  })

  async function filled(): Promise<DirectoryLog> {
    const { directory } = await (await fresh()).open()
    for (const [number, changes] of commits.entries()) {
      await directory.commit(commitAt(number), markAt(number + 1), changes, [])
    }
    return directory
  }

  const queryOf = <Kind extends FollowedKind>(
    kind: Kind,
    part: Partial<ChangeQuery<Kind>> = {},
  ): ChangeQuery<Kind> => ({
    kind,
    tenantId: guid(1),
    since: undefined,
    until: undefined,
    ids: undefined,
    after: undefined,
    limit: 100,
    ...part,
  })

  /** The number and the state of each object of all pages. */
  async function changesOf(
    kind: FollowedKind,
    part: Partial<ChangeQuery<FollowedKind>> = {},
  ): Promise<string[]> {
    const found: string[] = []
    let after: ChangePosition | undefined
    do {
      const page = await log.listChanges(queryOf<FollowedKind>(kind, { ...part, after }))
      assert.deepEqual(page?.until, part.until ?? latest)
      for (const { id, value } of page?.objects ?? []) {
        const state =
          value === null ? 'removed' : value.deletedDateTime === null ? 'present' : 'deleted'
        found.push(`${Number.parseInt(id.slice(-2), 16)} ${state}`)
      }
      after = page?.next
    } while (after !== undefined)
    return found
  }

  const rows: readonly (readonly [string, FollowedKind, object, readonly string[]])[] = [
    ['all existing objects', 'application', {}, ['4 present', '1 present', '0 present']],
    ['all existing objects', 'servicePrincipal', {}, ['0 present', '1 present', '4 present']],
    ['the objects of another tenant', 'servicePrincipal', elsewhere, ['5 present', '6 present']],
    [
      'objects that changed since a commit',
      'application',
      { since: commitAt(1) },
      ['1 present', '2 deleted', '3 removed', '0 present'],
    ],
    [
      'objects whose application changed since a commit',
      'servicePrincipal',
      { since: commitAt(1) },
      ['1 present', '2 deleted', '3 removed', '0 present'],
    ],
    [
      'objects that changed between two commits',
      'servicePrincipal',
      { since: commitAt(3), until: commitAt(5) },
      ['2 deleted', '3 removed'],
    ],
    [
      'the objects of another tenant since a commit',
      'application',
      { ...elsewhere, since: commitAt(5) },
      ['5 removed'],
    ],
    [
      'the objects of another tenant whose application changed',
      'servicePrincipal',
      { ...elsewhere, since: commitAt(2) },
      ['6 present'],
    ],
    ['no objects since the latest commit', 'application', { since: latest }, []],
    [
      'objects with given IDs since a commit',
      'application',
      { since: commitAt(1), ids: [guid(0x103), guid(0x100), guid(0x104), guid(0x105)] },
      ['3 removed', '0 present'],
    ],
    ['no objects for an empty list of IDs', 'servicePrincipal', { ids: [] }, []],
  ]
  for (const [title, kind, part, expected] of rows) {
    for (const limit of [1, 2, 100]) {
      it(`lists ${title}, of kind ${kind}, in pages of ${limit}`, async () => {
        assert.deepEqual([...new Set(await changesOf(kind, { ...part, limit }))], expected)
      })
    }
  }

  it('includes the latest state of the objects, and the objects that they refer to', async () => {
    const page = await log.listChanges(queryOf('servicePrincipal', { since: commitAt(5) }))
    assert.deepEqual(page?.objects, [{ id: guid(0x300), value: principal(0).value }])
    const { directory } = page ?? {}
    assert.deepEqual(directory?.applicationByAppId(guid(0x200))?.identifierUris, ['api://changed'])
    assert.equal(directory?.tenant(guid(1))?.id, guid(1))
    assert.equal(directory?.markOf('servicePrincipal', guid(0x300)), 'mark 1')
  })

  it('leaves changes after the end of a round to the next round', async () => {
    const log = await filled()
    const first = await log.listChanges(queryOf('application', { limit: 1 }))
    assert.equal(first?.until.revision, commits.length)
    const changed = [app(1, { displayName: 'Again' }), remove('application', guid(0x104))]
    await log.commit(latest, markAt(7), changed, [])
    const rest = await log.listChanges(
      queryOf('application', { until: latest, after: first?.next }),
    )
    assert.deepEqual(
      rest?.objects.map(({ id }) => id),
      [guid(0x100)],
    )
    const next = await log.listChanges(queryOf('application', { since: latest }))
    assert.deepEqual(
      next?.objects.map(({ id, value }) => [id, value?.displayName]),
      [
        [guid(0x101), 'Again'],
        [guid(0x104), undefined],
      ],
    )
  })

  for (const [title, part] of [
    ['after a commit with another mark', { since: { revision: 3, mark: 'another' } }],
    ['after a later commit', { since: commitAt(9) }],
    ['until a commit with another mark', { until: { revision: 3, mark: 'another' } }],
  ] as const) {
    it(`does not exist ${title}, so the client must start again`, async () => {
      assert.equal(await log.listChanges(queryOf('application', part)), undefined)
    })
  }
}
