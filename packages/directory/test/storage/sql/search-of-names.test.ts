import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { memoryDatabase } from '../../../../../test/fixtures/directory/memory-database.ts'
import { application, guid, tenant } from '../../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../../test/fixtures/directory/sample-commit.ts'
import type { ListQuery } from '../../../src/live/directory-list.ts'
import { put, remove } from '../../../src/model/directory-change.ts'
import { wordStarts } from '../../../src/model/words.ts'
import { type Storage, sqlStorage } from '../../../src/storage/storage.ts'
import { ListeningDatabase } from './listening-database.ts'

const number = 2100
const special = [
  'Österreich Über',
  'a "quoted" name',
  '100%_!',
  'ΣΊΣΥΦΟΣ',
  '日本語の名前',
  "O'Neil's 😀 job",
]
const nameOf = (index: number) => special[index] ?? `Client ${String(index).padStart(5, '0')}`

const isFound = (name: string, text: string) =>
  [...text].length < 3
    ? wordStarts(name).includes(text.toLowerCase())
    : name.toLowerCase().includes(text.toLowerCase())

const queryFor = (text: string, tenantId = guid(1)): ListQuery<'application'> => ({
  kind: 'application',
  tenantId,
  isIndexed: true,
  after: undefined,
  limit: 5000,
  conditions: [
    { index: 'displayName', operator: [...text].length < 3 ? 'startsWord' : 'contains', text },
  ],
  matches: ({ displayName }) => isFound(displayName, text),
  isCounted: true,
})

describe(`a search for a part of a name among ${number} applications`, () => {
  const side = new ListeningDatabase(':memory:')
  let storage: Storage
  before(async () => {
    storage = sqlStorage((await memoryDatabase(side)).database)
    const applications = Array.from({ length: number }, (_, index) =>
      put(
        'application',
        application({ id: guid(index), appId: guid(0x10000 + index), displayName: nameOf(index) }),
      ),
    )
    const other = { id: guid(0x20000), tenantId: guid(2), displayName: 'Client 00777 of another' }
    await storage.directory.commit(
      commitAt(0),
      markAt(1),
      [put('tenant', tenant()), ...applications, put('application', application(other))],
      [],
    )
  })
  after(() => storage.close())

  const found = async (text: string, tenantId?: string) =>
    (await storage.directory.list(queryFor(text, tenantId))).objects.map(({ id }) => id)

  const texts = [
    '00777',
    'ient 0',
    '777',
    '00',
    'Ös',
    '日',
    'cl',
    'C',
    'zz',
    'ÖST',
    'über',
    '"quo',
    'ed" n',
    '%_!',
    'ύφος',
    'ΊΣΥ',
    '日本語',
    '😀 j',
    "l's",
    'nothing',
    'client',
  ]
  for (const text of texts)
    it(`finds every name that contains ${text}, in any case`, async () => {
      const expected = Array.from({ length: number }, (_, index) => index).filter((index) =>
        isFound(nameOf(index), text),
      )
      const { count, objects } = await storage.directory.list(queryFor(text))
      assert.deepEqual(
        objects.map(({ id }) => id),
        expected.map(guid),
      )
      assert.equal(count, expected.length)
    })

  for (const [text, table] of [
    ['00777', 'name_search'],
    ['ös', 'word_search'],
  ] as const)
    it(`reads ${table} for ${text}, but no name of the tenant`, async () => {
      await found(text)
      const [statement = ''] = side.statements.filter((one) => one.includes(`"${table}" match`))
      const plan = side.planOf(statement).join('\n')
      assert.match(plan, new RegExp(`SCAN ${table} VIRTUAL TABLE INDEX`))
      assert.doesNotMatch(plan, /\(tenant_id/)
    })

  it('reads the names of a small tenant, but not the names of other tenants', async () => {
    assert.deepEqual(await found('00777', guid(2)), [guid(0x20000)])
    const small = new ListeningDatabase(':memory:')
    const { close, directory } = sqlStorage((await memoryDatabase(small)).database)
    await directory.list(queryFor('00777'))
    assert.ok(small.statements.some((one) => one.includes('"name_key" like')))
    assert.ok(!small.statements.some((one) => one.includes('name_search" match')))
    await close()
  })

  it('follows new, changed and removed names', async () => {
    const [id, appId] = [guid(2000), guid(0x10000 + 2000)]
    const renamed = application({ id, appId, displayName: 'Zebra' })
    const { directory } = storage
    await directory.commit(commitAt(1), markAt(2), [put('application', renamed)], [])
    assert.deepEqual(await found('zebra'), [id])
    assert.deepEqual(await found('02000'), [])
    assert.deepEqual(await found('ze'), [id])
    await directory.commit(commitAt(2), markAt(3), [remove('application', id)], [])
    assert.deepEqual([await found('zebra'), await found('ze')], [[], []])
    for (const table of ['name_search', 'word_search'])
      side.exec(`insert into ${table} (${table}, rank) values ('integrity-check', 1)`)
  })
})
