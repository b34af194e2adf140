import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { put, remove } from '@greeting/directory'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { type Body, sampleGraph } from '../sample-graph.ts'
import { withApi } from './applications/sample-api.ts'

type Part = { readonly id: string; readonly status: number; readonly body: Body }

const responsesOf = ({ body }: { readonly body: Body }) => body.responses as readonly Part[]
const get = (id: string, url: string, part: object = {}) => ({ id, method: 'GET', url, ...part })
const create = (id: string, part: object = {}) => ({
  id,
  method: 'POST',
  url: '/applications',
  body: { displayName: id },
  headers: { 'Content-Type': 'application/json' },
  ...part,
})

const entries = (count: number) => ({ tags: Array.from({ length: count }, () => '') })
const membersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, '']))

describe('a batch (AS38)', () => {
  it('returns a separate response for each request, in the same order', async () => {
    const { admin, api } = await withApi()
    const reply = await admin.post('/$batch', {
      requests: [
        create('a'),
        get('b', `applications/${api.id}?$select=displayName`),
        get('c', "/applications?$filter=displayName ne 'a'&$count=true", {
          headers: { ConsistencyLevel: 'eventual' },
        }),
        get('d', '/applications/$count'),
        get('e', '/nothing'),
      ],
    })
    assert.equal(reply.status, 200)
    const answers = responsesOf(reply)
    assert.deepEqual(
      answers.map(({ id, status }) => [id, status]),
      [
        ['a', 201],
        ['b', 200],
        ['c', 200],
        ['d', 400],
        ['e', 400],
      ],
    )
    assert.equal(answers[0]?.body.displayName, 'a')
    assert.equal(answers[1]?.body.displayName, 'API')
    assert.match(answers[4]?.body.error.message ?? '', /segment 'nothing'/)
  })

  it('sends no further requests after 16 MiB of responses', async () => {
    const { admin } = await withApi()
    const redirectUris = Array.from(
      { length: 256 },
      (_, number) => `https://contoso.example/${number}/${'x'.repeat(220)}`,
    )
    const web = { redirectUris }
    for (const displayName of ['1', '2', '3', '4', '5'])
      await admin.post('/applications', { displayName, web, spa: web, publicClient: web })
    const requests = Array.from({ length: 19 }, (_, id) => get(`${id}`, '/applications'))
    const answers = responsesOf(
      await admin.post('/$batch', { requests: [...requests, create('x')] }),
    )
    assert.equal(answers[0]?.status, 200)
    assert.equal(answers.at(-1)?.status, 413)
    assert.match(answers.at(-1)?.body.error.message ?? '', /was not executed/)
    const { body } = await admin.get("/applications?$filter=displayName eq 'x'")
    assert.deepEqual(body.value, [])
  })

  const ids = Array.from({ length: 8 }, (_, number) => `${number}`)
  const afterTheOther = (id: string) => (id === '0' ? {} : { dependsOn: [`${Number(id) - 1}`] })
  const concurrent: readonly (readonly [string, (id: string) => object, number])[] = [
    // A commit contains the changes that waited for the one before: 0, 1 to 3, 4, 5 to 7.
    ['independent requests, four at a time', () => ({}), 4],
    ['requests that depend on each other, one after the other', afterTheOther, 8],
  ]
  for (const [name, dependencies, commits] of concurrent) {
    it(`sends ${name}`, async () => {
      const { admin, log } = await withApi()
      const { revision } = (await log.changesAfter()).latest
      const commit = log.commit.bind(log)
      log.commit = async (...asked) => {
        for (let turn = 0; turn < 20; turn += 1) await setImmediate()
        return commit(...asked)
      }
      const requests = ids.map((id) => create(id, dependencies(id)))
      const answers = responsesOf(await admin.post('/$batch', { requests }))
      assert.deepEqual(
        answers.map(({ id, status }) => [id, status]),
        ids.map((id) => [id, 201]),
      )
      assert.equal((await log.changesAfter()).latest.revision - revision, commits)
    })
  }

  it('does not send a request that depends on a failed one', async () => {
    const { admin } = await withApi()
    const reply = await admin.post('/$batch', {
      requests: [
        get('1', '/nothing'),
        create('2', { dependsOn: ['1'] }),
        create('3', { dependsOn: ['2'] }),
        create('4'),
      ],
    })
    assert.deepEqual(
      responsesOf(reply).map(({ status }) => status),
      [400, 424, 424, 201],
    )
    const { body } = await admin.get("/applications?$filter=displayName in ('2','3')")
    assert.deepEqual(body.value, [])
  })

  it("checks each request against the caller's current roles", async () => {
    const sample = await sampleGraph()
    const caller = await sample.clientWith(['Application.ReadWrite.All'])
    const { commit, store } = sample
    const { assignments, principal } = await wholeDirectory(store).then((directory) => ({
      assignments: directory.assignmentsOf(caller.principalId),
      principal: directory.servicePrincipal(caller.principalId),
    }))
    assert.ok(principal)
    const reader = await sample.clientWith(['Application.Read.All'])
    const refused = await reader.post('/$batch', {
      requests: [get('1', '/applications'), create('2')],
    })
    assert.deepEqual(
      responsesOf(refused).map(({ status }) => status),
      [200, 403],
    )
    // The second request disables its own caller, so the third is refused.
    const lost = await caller.post('/$batch', {
      requests: [
        create('1'),
        {
          id: '2',
          method: 'PATCH',
          url: `/servicePrincipals/${caller.principalId}`,
          body: { accountEnabled: false },
          headers: { 'content-type': 'application/json' },
        },
        create('3', { dependsOn: ['2'] }),
      ],
    })
    assert.deepEqual(
      responsesOf(lost).map(({ status }) => status),
      [201, 204, 401],
    )
    await commit(
      put('servicePrincipal', principal),
      ...assignments.map(({ id }) => remove('appRoleAssignment', id)),
    )
    const without = await caller.post('/$batch', { requests: [create('4')] })
    assert.deepEqual(
      responsesOf(without).map(({ status }) => status),
      [403],
    )
  })

  it("forwards no credential except the batch request's own", async () => {
    const { admin, actAs } = await withApi()
    const unknown = actAs(crypto.randomUUID(), crypto.randomUUID())
    const headers = { authorization: 'Bearer x:y' }
    const reply = await admin.post('/$batch', {
      requests: [get('1', '/applications', { headers })],
    })
    assert.equal(responsesOf(reply)[0]?.status, 200)
    assert.equal((await unknown.post('/$batch', { requests: [] })).status, 401)
  })

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    [
      '21 requests',
      { requests: Array.from({ length: 21 }, (_, id) => create(`${id}`)) },
      /exceeds the maximum value of 20/,
    ],
    [
      'a nested batch',
      { requests: [create('1'), { id: '2', method: 'POST', url: '/$batch' }] },
      /is a batch itself/,
    ],
    [
      'an encoded nested batch',
      { requests: [{ id: '2', method: 'POST', url: '//%24Batch?x' }] },
      /is a batch itself/,
    ],
    [
      'a nested batch below the tenant name',
      { requests: [{ id: '2', method: 'POST', url: '/myorganization/$batch' }] },
      /is a batch itself/,
    ],
    ['a duplicate ID', { requests: [create('a'), create('A')] }, /two requests have the id/],
    [
      'a dependency on a later request',
      { requests: [create('1', { dependsOn: ['2'] }), create('2')] },
      /Invalid dependency for request Id '1'/,
    ],
    [
      'an unsupported method',
      { requests: [get('1', '/applications', { method: 'PUT' })] },
      /method/,
    ],
    [
      'a header that is not ASCII',
      { requests: [get('1', '/applications', { headers: { prefer: 'ä' } })] },
      /in ASCII/,
    ],
    [
      '101 headers in a request',
      { requests: [get('1', '/me', { headers: membersOf(101) })] },
      /more than 100 properties/,
    ],
    [
      '101 properties in the body of a request',
      { requests: [create('1', { body: membersOf(101) })] },
      /more than 100 properties/,
    ],
    [
      '20 requests that are too large together',
      { requests: Array.from({ length: 20 }, (_, id) => create(`${id}`, { body: entries(1000) })) },
      /more than 20000 properties and entries/,
    ],
    [
      'a body without Content-Type (entra E375)',
      { requests: [create('1', { headers: {} })] },
      /^Write request with id '1' does not contain a Content-Type header\.$/,
    ],
    [
      'a change without body and Content-Type (entra E375)',
      { requests: [{ id: 'a', method: 'POST', url: '/directory/deletedItems/x/restore' }] },
      /^Write request id : a does not contain Content-Type header or body\.$/,
    ],
    ['no requests', {}, /'requests': it is required/],
    ['an unknown member', { requests: [], atomicityGroup: 'x' }, /'atomicityGroup'/],
  ]
  for (const [name, body, message] of refused) {
    it(`with ${name} is refused as a whole, and changes nothing`, async () => {
      const { admin, log } = await withApi()
      const { revision } = (await log.changesAfter()).latest
      const reply = await admin.post('/$batch', body)
      assert.equal(reply.status, 400)
      assert.match(reply.body.error.message, message)
      assert.equal((await log.changesAfter()).latest.revision, revision)
    })
  }
})
