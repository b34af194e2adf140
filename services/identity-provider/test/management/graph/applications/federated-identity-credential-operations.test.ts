import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wholeDirectory } from '../../../../../../test/fixtures/directory/whole-directory.ts'
import { withApi } from './sample-api.ts'

describe('a federated identity credential', () => {
  const github = {
    name: 'main-branch',
    issuer: 'https://token.actions.githubusercontent.com',
    subject: 'repo:contoso/job:ref:refs/heads/main',
    audiences: ['api://AzureADTokenExchange'],
  }
  const anyBranch = "claims['sub'] matches 'repo:contoso/job:ref:refs/heads/*'"
  const branches = `${anyBranch} and claims['repository_id'] eq '456789'`
  const { subject: _subject, ...trust } = github
  const flexible = { ...trust, claimsMatchingExpression: { value: branches, languageVersion: 1 } }

  it('is added, shown by ID and by name, changed, listed and removed', async () => {
    const { admin, path, store, api } = await withApi()
    const all = `${path}/federatedIdentityCredentials`
    const made = await admin.post(all, github)
    assert.equal(made.status, 201)
    assert.partialDeepStrictEqual(made.body, { ...github, description: null })
    assert.equal(made.headers.get('location'), `https://login.example/v1.0${all}/${made.body.id}`)
    for (const key of [made.body.id, github.name])
      assert.partialDeepStrictEqual((await admin.get(`${all}/${key}`)).body, github)
    const subject = 'repo:contoso/job:environment:production'
    assert.equal((await admin.patch(`${all}/${github.name}`, { subject })).status, 204)
    const { body } = await admin.get(`${all}?$filter=subject eq '${subject}'`)
    assert.deepEqual(
      body.value.map(({ id }) => id),
      [made.body.id],
    )
    assert.equal((await admin.delete(`${all}/${made.body.id}`)).status, 204)
    assert.equal((await admin.get(`${all}/${made.body.id}`)).status, 404)
    assert.deepEqual(
      (await wholeDirectory(store)).application(api.id)?.federatedIdentityCredentials,
      [],
    )
  })

  const names: readonly (readonly [string, status: number])[] = [
    ['acctest-hashitown.example.com-x', 201],
    ['my.app_main~1', 201],
    ['a.b', 201],
    ['graph.x', 201],
    ['Microsoft.Graph.application', 201],
    ['a'.repeat(120), 201],
    ['a'.repeat(121), 400],
    ['a.', 400],
    ['.ab', 400],
    ['a/b', 400],
  ]
  for (const [name, status] of names)
    it(`with the name ${name} returns ${status}, and is found by that name (entra E312)`, async () => {
      const { admin, path } = await withApi()
      const all = `${path}/federatedIdentityCredentials`
      assert.equal((await admin.post(all, { ...github, name })).status, status)
      const one = `${all}(name='${name}')`
      const create = { Prefer: 'create-if-missing' }
      const description = 'Upsert'
      const body = status === 201 ? { description } : { ...github, description }
      const upsert = await admin.patch(one, body, create)
      assert.equal(upsert.status, status === 201 ? 204 : 400)
      if (status === 201)
        for (const path of [one, `${all}/${name}`])
          assert.partialDeepStrictEqual((await admin.get(path)).body, { name, description })
    })

  const refused: readonly (readonly [string, object, number, RegExp])[] = [
    ['without an audience', { audiences: [] }, 400, /exactly one audience/],
    ['with two audiences', { audiences: ['a', 'b'] }, 400, /exactly one audience/],
    ['with an issuer over http', { issuer: 'http://x.example' }, 400, /https URL/],
    ['with another name for this machine', { issuer: 'http://127.0.0.2' }, 400, /https URL/],
    ['with an issuer that is not a URL', { issuer: 'github' }, 400, /https URL/],
    ['with credentials in its issuer', { issuer: 'https://a:b@x.example' }, 400, /https URL/],
    ['with an empty subject', { subject: '' }, 400, /must not be empty/],
    ['without a subject', { subject: null }, 400, /'subject' cannot be empty/],
    [
      'with a subject and an expression',
      { claimsMatchingExpression: { value: branches, languageVersion: 1 } },
      400,
      /both subject and claimsMatchingExpression/,
    ],
    [
      'with an expression that matches every repository',
      { subject: null, claimsMatchingExpression: { value: anyBranch, languageVersion: 1 } },
      400,
      /lacks all required claims/,
    ],
    [
      'with another version of the expression language',
      { subject: null, claimsMatchingExpression: { value: branches, languageVersion: 2 } },
      400,
      /languageVersion': it must be 1/,
    ],
    [
      'with an expression that is not an object',
      { subject: null, claimsMatchingExpression: branches },
      400,
      /must be of the type object/,
    ],
    [
      'with an expression for an issuer that has none',
      {
        subject: null,
        issuer: 'https://oidc.example.com',
        claimsMatchingExpression: { value: branches, languageVersion: 1 },
      },
      400,
      /does not support claims matching expressions/,
    ],
    ['with spaces in its name', { name: 'main branch' }, 400, /letters, digits/],
    [
      'with the name of another credential',
      { subject: 'other' },
      409,
      /name main-branch already exists/,
    ],
    [
      'with the issuer and the subject of another credential',
      { name: 'other' },
      400,
      /combination of issuer and subject must be unique/,
    ],
  ]
  for (const [name, part, status, message] of refused)
    it(`${name} is refused`, async () => {
      const { admin, path } = await withApi()
      const all = `${path}/federatedIdentityCredentials`
      assert.equal((await admin.post(all, github)).status, 201)
      const reply = await admin.post(all, { ...github, ...part })
      assert.equal(reply.status, status)
      assert.match(reply.body.error.message, message)
    })

  it('is refused if the application has 20', async () => {
    const { admin, path } = await withApi()
    const add = (index: number) =>
      admin.post(`${path}/federatedIdentityCredentials`, {
        ...github,
        name: `name-${index}`,
        subject: `${index}`,
      })
    for (let index = 0; index < 20; index += 1) assert.equal((await add(index)).status, 201)
    assert.match((await add(20)).body.error.message, /must not have more than 20/)
  })

  it('may have an expression instead of a subject, and a change can replace it', async () => {
    const { admin, path } = await withApi()
    const all = `${path}/federatedIdentityCredentials`
    const made = await admin.post(all, flexible)
    assert.equal(made.status, 201)
    assert.partialDeepStrictEqual(made.body, { ...flexible, subject: null })
    const one = `${all}/${made.body.id}`
    // Clients send the whole object back.
    assert.equal((await admin.patch(one, { ...made.body, description: 'tags' })).status, 204)
    const exact = { subject: github.subject, claimsMatchingExpression: null }
    assert.equal((await admin.patch(one, { subject: github.subject })).status, 400)
    assert.equal((await admin.patch(one, exact)).status, 204)
    const { body } = await admin.get(one)
    assert.equal(body.subject, github.subject)
    assert.ok(!('claimsMatchingExpression' in body))
    const back = { subject: null, claimsMatchingExpression: flexible.claimsMatchingExpression }
    assert.equal((await admin.patch(one, back)).status, 204)
    assert.partialDeepStrictEqual((await admin.get(one)).body, { ...back, description: 'tags' })
  })

  it('cannot have the same issuer and expression as another credential', async () => {
    const { admin, path } = await withApi()
    const all = `${path}/federatedIdentityCredentials`
    assert.equal((await admin.post(all, flexible)).status, 201)
    const other = await admin.post(all, { ...flexible, name: 'other' })
    assert.match(other.body.error.message, /must be unique/)
  })

  it('is created by name with Prefer: create-if-missing, and later changed by name', async () => {
    const { admin, path } = await withApi()
    const one = `${path}/federatedIdentityCredentials(name='${github.name}')`
    const { name: _name, ...body } = github
    assert.equal((await admin.patch(one, body)).status, 404)
    const prefer = { prefer: 'create-if-missing' }
    const made = await admin.patch(one, body, prefer)
    assert.equal(made.status, 201)
    assert.equal(made.body.name, github.name)
    assert.ok(
      made.headers.get('location')?.endsWith(`/federatedIdentityCredentials/${made.body.id}`),
    )
    assert.equal((await admin.patch(one, { description: 'again' }, prefer)).status, 204)
    const { body: shown } = await admin.get(one)
    assert.partialDeepStrictEqual(shown, { ...github, description: 'again' })
    const renamed = await admin.patch(one, { name: 'other' })
    assert.match(renamed.body.error.message, /'name' is read-only/)
  })

  it('may trust an issuer on this machine over HTTP', async () => {
    const { admin, path } = await withApi()
    const local = { ...github, issuer: 'http://127.0.0.1:4000/common' }
    assert.equal((await admin.post(`${path}/federatedIdentityCredentials`, local)).status, 201)
  })
})
