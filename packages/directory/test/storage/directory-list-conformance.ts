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
import type {
  IndexedComparison,
  ListCondition,
  ListedKind,
  ListOrder,
  ListQuery,
} from '../../src/live/directory-list.ts'
import type { DirectoryLog } from '../../src/live/directory-log.ts'
import { put, remove } from '../../src/model/directory-change.ts'
import type { FreshStorage } from './fresh-storage.ts'

const at = (day: number) => new Date(Date.UTC(2030, 0, day))
const numbers = Array.from({ length: 12 }, (_, number) => number)
/** Twelve applications with principals, of which number 0 and 1 are deleted, and assignments to number 11. */
const changes = [
  put('tenant', tenant()),
  ...numbers.flatMap((number) => {
    const appId = guid(0x200 + number)
    const deletedDateTime = number < 2 ? at(10 * (number + 1)) : null
    const part = { createdDateTime: at(number + 1), deletedDateTime }
    const displayName = number % 2 === 0 ? 'ÄHNLICH' : `Job ${number}`
    const identifierUris = [`api://${appId}`, `https://contoso.example/${number}`]
    return [
      put(
        'application',
        application({ ...part, id: guid(0x100 + number), appId, displayName, identifierUris }),
      ),
      put(
        'servicePrincipal',
        servicePrincipal({ ...part, id: guid(0x300 + number), appId, displayName }),
      ),
      put(
        'appRoleAssignment',
        appRoleAssignment({
          id: `assignment-${number}`,
          principalId: guid(0x300 + number),
          resourceId: guid(0x30b),
          appRoleId: guid(number % 3),
        }),
      ),
    ]
  }),
]

const queryOf = <Kind extends ListedKind>(
  kind: Kind,
  part: Partial<ListQuery<Kind>> = {},
): ListQuery<Kind> => ({
  kind,
  tenantId: guid(1),
  conditions: [],
  isIndexed: true,
  matches: undefined,
  after: undefined,
  limit: 100,
  isCounted: true,
  ...part,
})

const eq = (index: IndexedComparison['index'], text: string): IndexedComparison => ({
  index,
  operator: 'eq',
  text,
})
const starts = (index: IndexedComparison['index'], text: string): IndexedComparison => ({
  index,
  operator: 'startswith',
  text,
})

const contains = (text: string): IndexedComparison => ({
  index: 'displayName',
  operator: 'contains',
  text,
})

const startsWord = (text: string): IndexedComparison => ({
  index: 'displayName',
  operator: 'startsWord',
  text,
})

/** The words of the first name begin in each of its places. */
const names = [
  'HR payroll-Export (beta) v2',
  'hRM',
  'Échange 日本語の名前',
  'a%b_c!d"e\'f',
  '😀job ab👍🏽cd',
  'E\u0301te\u0301 नमस्ते',
  'Chrome 3D',
  '%_! 😀',
  '𝒜𝒷𝒸',
]
const wordRows: readonly (readonly [string, readonly number[]])[] = [
  ['hr', [0, 1]],
  ['H', [0, 1]],
  ['pa', [0]],
  ['EX', [0]],
  ['be', [0]],
  ['v2', [0]],
  ['ro', []],
  ['ay', []],
  ['2', []],
  ['éc', [2]],
  ['日', [2]],
  ['日本', [2]],
  ['本', []],
  ['a', [3, 4]],
  ['f', [3]],
  ['ab', [4]],
  ['jo', [4]],
  ['CD', [4]],
  ['e', [0, 3, 5]],
  ['e\u0301', [5]],
  ['te', []],
  ['न', [5]],
  ['नम', [5]],
  ['मस', []],
  ['3d', [6]],
  ['𝒜', [8]],
  ['𝒜𝒷', [8]],
  ['𝒷', []],
]

async function filled(fresh: FreshStorage): Promise<DirectoryLog> {
  const { directory } = await (await fresh()).open()
  await directory.commit(commitAt(0), markAt(1), changes, [])
  return directory
}

const numbersOf = (objects: readonly { readonly id: string }[]) =>
  objects.map(({ id }) => (Number.parseInt(id.slice(-3), 16) % 256).toString()).map(Number)

/** Tests the lists of a directory log. */
export function directoryListConformance(fresh: FreshStorage): void {
  // No test writes to this log. The test that writes has a log of its own.
  let log: DirectoryLog
  before(async () => {
    log = await filled(fresh)
  })

  it("contain a tenant's objects that are not deleted, in pages, with their number", async () => {
    for (const kind of ['application', 'servicePrincipal'] as const) {
      const found: number[] = []
      let after: string | undefined
      do {
        const page = await log.list(queryOf(kind, { limit: 3, after }))
        assert.equal(page.count, 10)
        found.push(...numbersOf(page.objects))
        after = page.next
      } while (after !== undefined)
      assert.deepEqual(found, numbers.slice(2))
      const elsewhere = await log.list(queryOf(kind, { tenantId: guid(2) }))
      assert.deepEqual([elsewhere.objects, elsewhere.count], [[], 0])
    }
  })

  it('keep the number of objects correct after changes, deletions and removals', async () => {
    const log = await filled(fresh)
    const one = application({ id: guid(0x105), appId: guid(0x205) })
    await log.commit(
      commitAt(1),
      markAt(2),
      [put('application', { ...one, displayName: 'Other' })],
      [],
    )
    assert.equal((await log.list(queryOf('application'))).count, 10)
    await log.commit(
      commitAt(2),
      markAt(3),
      [put('application', { ...one, deletedDateTime: at(3) })],
      [],
    )
    assert.equal((await log.list(queryOf('application'))).count, 9)
    await log.commit(
      commitAt(3),
      markAt(4),
      [remove('application', one.id), remove('application', guid(0x106))],
      [],
    )
    assert.equal((await log.list(queryOf('application'))).count, 8)
  })

  const all = numbers.slice(2)
  const even = all.filter((number) => number % 2 === 0)
  const odd = all.filter((number) => number % 2 === 1)
  const rows: readonly (readonly [ListedKind, ListCondition, readonly number[]])[] = [
    ['application', eq('id', guid(0x104)), [4]],
    ['application', eq('appId', guid(0x204).toUpperCase()), [4]],
    ['application', eq('displayName', 'ähnlich'), even],
    ['application', starts('displayName', 'JOB '), odd],
    ['application', starts('displayName', ''), all],
    ['application', starts('appId', guid(0x204).slice(0, 35)), all],
    ['application', starts('appId', 'no GUID'), []],
    ['application', eq('identifierUri', 'HTTPS://contoso.example/4'), [4]],
    ['application', starts('identifierUri', 'https://contoso.example/1'), [10, 11]],
    ['application', contains('OB 1'), [11]],
    ['application', contains('%'), []],
    ['application', contains('_ob'), []],
    ['application', { anyOf: [eq('id', guid(0x104)), eq('displayName', 'job 5')] }, [4, 5]],
    ['application', { anyOf: [contains('hnlic'), starts('displayName', 'job 1')] }, [...even, 11]],
    [
      'servicePrincipal',
      { anyOf: [eq('name', guid(0x205)), eq('name', `api://${guid(0x206)}`)] },
      [5, 6],
    ],
    ['servicePrincipal', eq('displayName', 'ÄHNLICH'), even],
    ['servicePrincipal', eq('name', guid(0x205)), [5]],
    ['servicePrincipal', eq('name', 'https://contoso.example/5'), [5]],
    ['servicePrincipal', starts('name', 'api://'), all],
    ['servicePrincipal', starts('name', guid(0x205).slice(0, 8)), all],
  ]
  for (const [kind, condition, expected] of rows) {
    it(`find ${expected.length} of kind ${kind} by ${JSON.stringify(condition)}`, async () => {
      const { objects, count } = await log.list(queryOf(kind, { conditions: [condition] }))
      assert.deepEqual(
        numbersOf(objects),
        expected.toSorted((a, b) => a - b),
      )
      assert.equal(count, expected.length)
    })
  }

  it('find names in which a word begins with one or two letters', async () => {
    const { directory } = await (await fresh()).open()
    const parts = names.map((displayName, number) => {
      const [id, appId] = [guid(0x100 + number), guid(0x200 + number)]
      return [
        put('application', application({ id, appId, displayName })),
        put('servicePrincipal', servicePrincipal({ id, appId, displayName })),
      ]
    })
    await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant()), ...parts.flat()], [])
    for (const [text, expected] of wordRows)
      for (const kind of ['application', 'servicePrincipal'] as const) {
        const query = queryOf(kind, { conditions: [startsWord(text)] })
        const { objects, count } = await directory.list(query)
        assert.deepEqual([text, numbersOf(objects), count], [text, expected, expected.length])
      }
  })

  const orders: readonly (readonly [ListOrder, readonly number[]])[] = [
    [{ by: 'displayName', isDescending: false }, [11, 3, 5, 7, 9, 2, 4, 6, 8, 10]],
    [{ by: 'displayName', isDescending: true }, [10, 8, 6, 4, 2, 9, 7, 5, 3, 11]],
    [{ by: 'createdDateTime', isDescending: false }, all],
    [{ by: 'createdDateTime', isDescending: true }, all.toReversed()],
  ]
  for (const [order, expected] of orders) {
    it(`are divided into pages in the order ${JSON.stringify(order)}`, async () => {
      for (const kind of ['application', 'servicePrincipal'] as const) {
        const found: number[] = []
        let after: string | undefined
        do {
          const page = await log.list(queryOf(kind, { order, limit: 3, after }))
          found.push(...numbersOf(page.objects))
          after = page.next
        } while (after !== undefined)
        assert.deepEqual(found, expected)
      }
      const part = { order, conditions: [starts('displayName', 'job')] }
      const { objects } = await log.list(queryOf('application', part))
      assert.deepEqual(
        numbersOf(objects),
        expected.filter((number) => odd.includes(number)),
      )
    })
  }

  it('apply a filter without an index to every object', async () => {
    const matches = ({ id }: { readonly id: string }) => id === guid(0x108)
    const part = { matches, isIndexed: false, limit: 1 }
    const { objects, count, next } = await log.list(queryOf('application', part))
    assert.deepEqual([numbersOf(objects), count, next], [[8], 1, undefined])
  })

  it('contain the objects that were deleted after a time, or before it', async () => {
    const deleted = async (day: number) => {
      const { objects, count } = await log.list(queryOf('application', { deletedSince: at(day) }))
      assert.equal(count, objects.length)
      return numbersOf(objects)
    }
    assert.deepEqual([await deleted(10), await deleted(11), await deleted(21)], [[0, 1], [1], []])
    assert.deepEqual(await log.deletedBefore(at(10), 10), [])
    assert.deepEqual(await log.deletedBefore(at(11), 10), [
      { kind: 'application', id: guid(0x100) },
      { kind: 'servicePrincipal', id: guid(0x300) },
    ])
    assert.equal((await log.deletedBefore(at(30), 1)).length, 1)
  })

  it('page through deleted objects in the order of their deletion and of their names', async () => {
    const rows = [
      ['deletedDateTime', [1, 0]],
      ['displayName', [0, 1]],
    ] as const
    for (const [by, expected] of rows) {
      const order = { by, isDescending: true }
      const part = { deletedSince: at(10), order, limit: 1 }
      const first = await log.list(queryOf('application', part))
      const last = await log.list(queryOf('application', { ...part, after: first.next }))
      assert.deepEqual([...numbersOf(first.objects), ...numbersOf(last.objects)], expected, by)
      assert.equal(last.next, undefined)
    }
  })

  it('hide objects that were created after a time, and exclude them from the number', async () => {
    const { objects, count } = await log.list(queryOf('servicePrincipal', { createdUntil: at(5) }))
    assert.deepEqual([numbersOf(objects), count], [[2, 3, 4], 3])
  })

  it("contain an object's assignments while both objects exist, with data for their properties", async () => {
    const list = async (...conditions: ListCondition[]) =>
      log.list(queryOf('appRoleAssignment', { conditions }))
    const page = await list(eq('resourceId', guid(0x30b)))
    assert.equal(page.objects.length, 10)
    assert.equal(page.count, 10)
    assert.equal(page.directory.servicePrincipal(guid(0x305))?.displayName, 'Job 5')
    const ofRole = await list(eq('resourceId', guid(0x30b)), eq('appRoleId', guid(2)))
    assert.deepEqual(ofRole.objects.map(({ id }) => id).toSorted(), [
      'assignment-11',
      'assignment-2',
      'assignment-5',
      'assignment-8',
    ])
    const ofClient = await list(eq('principalId', guid(0x304)))
    assert.deepEqual(
      ofClient.objects.map(({ id }) => id),
      ['assignment-4'],
    )
  })

  it('include the objects that a page refers to', async () => {
    const { directory } = await log.list(queryOf('servicePrincipal', { limit: 1 }))
    assert.equal(directory.applicationByAppId(guid(0x202))?.id, guid(0x102))
    assert.equal(directory.tenant(guid(1))?.displayName, 'Contoso')
    assert.equal(directory.markOf('servicePrincipal', guid(0x302)), 'mark 1')
  })
}
