import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Application } from '@greeting/directory'
import type { ListQuery } from '@greeting/directory/live'
import { DirectoryIndex } from '../../../../../test/fixtures/directory/directory-index.ts'
import { application, guid } from '../../../../../test/fixtures/directory/sample.ts'
import { applications } from '../../../src/management/graph/directory-objects/entity-sets.ts'
import { listStored } from '../../../src/management/odata/list-stored.ts'
import type { ListCall } from '../../../src/management/operations/operation.ts'
import { SkipTokens } from '../../../src/management/operations/skip-tokens.ts'

const rootUrl = 'https://login.example/v1.0'
const tenantId = guid(1)
const tokens = new SkipTokens()

type Read = Pick<ListQuery<'application'>, 'after' | 'limit' | 'isCounted'>

/** Lists applications `first` to `last` of a store, whose reads return at most so many objects. */
async function listOf(query: string, { last = 250, objectsPerRead = Number.POSITIVE_INFINITY }) {
  const reads: Read[] = []
  const call = {
    caller: { tenantId },
    path: '/applications',
    query: new URLSearchParams(query),
    rootUrl,
    skipTokens: tokens,
    createdUntil: undefined,
    credentialUses: { lastUses: async () => new Map() },
    see: (directory: unknown) => directory,
    parameters: {},
    read: async (decide: (directory: unknown) => unknown) => decide(new DirectoryIndex()),
    list: async ({ after, limit, isCounted }: ListQuery<'application'>) => {
      reads.push({ after, limit, isCounted })
      const first = Number(after ?? 0) + 1
      const end = Math.min(last, first - 1 + Math.min(limit, objectsPerRead))
      const numbers = Array.from({ length: end - first + 1 }, (_, index) => first + index)
      return {
        objects: numbers.map((number) => application({ id: guid(number), appId: guid(number) })),
        directory: new DirectoryIndex(),
        next: end < last ? String(end) : undefined,
        count: isCounted ? last : undefined,
      }
    },
  } as unknown as ListCall
  const owned = { ...applications, properties: { owned: { type: 'Edm.String', show: shownOwner } } }
  const expansions = { owners: { set: owned, find: (one: Application) => [one] } }
  const answer = await listStored(call, applications, { kind: 'application', expansions })
  const body = JSON.parse('content' in answer ? answer.content.toString() : assert.fail())
  const link: string | undefined = body['@odata.nextLink']
  return {
    reads: reads.map(({ after, limit, isCounted }) => [after, limit, isCounted]),
    ids: body.value.map(({ id }: { readonly id: string }) => id),
    owners: body.value.map(({ owners }: { readonly owners?: unknown }) => owners),
    count: body['@odata.count'],
    nextQuery: link === undefined ? undefined : new URL(link).search,
  }
}

const shownOwner = ({ id }: Application) => id

const guids = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => guid(first + index))

describe('a long page of a list', () => {
  it('is read in parts of at most 100 objects, and counted once', async () => {
    const { reads, ids, count, nextQuery } = await listOf('$top=999&$count=true', {})
    assert.deepEqual(reads, [
      [undefined, 100, true],
      ['100', 100, false],
      ['200', 100, false],
    ])
    assert.deepEqual([ids, count, nextQuery], [guids(1, 250), 250, undefined])
  })

  it('stops at $top, and its next page continues there', async () => {
    const { reads, ids, nextQuery } = await listOf('$top=130', {})
    assert.deepEqual(reads, [
      [undefined, 100, false],
      ['100', 30, false],
    ])
    assert.deepEqual(ids, guids(1, 130))
    assert.deepEqual((await listOf(nextQuery ?? '', {})).ids, guids(131, 250))
  })

  it('stops if the store stops early, and its next page continues there', async () => {
    const { reads, ids, nextQuery } = await listOf('$top=999', { objectsPerRead: 60 })
    assert.deepEqual([reads.length, ids], [1, guids(1, 60)])
    assert.deepEqual((await listOf(nextQuery ?? '', {})).ids, guids(61, 250))
  })

  it('includes the related objects of each object with $expand', async () => {
    const { ids, owners } = await listOf('$top=999&$expand=owners', {})
    assert.deepEqual(
      owners,
      ids.map((id: string) => [{ owned: id }]),
    )
  })

  it('may be empty', async () => {
    const { reads, ids, count, nextQuery } = await listOf('$count=true', { last: 0 })
    assert.deepEqual([reads.length, ids, count, nextQuery], [1, [], 0, undefined])
  })
})
