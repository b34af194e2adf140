import assert from 'node:assert/strict'
import { chmod, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sampleFile } from '@greeting/registrations/samples'
import type { GraphTenant, Json } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { ServedGraph } from './served-graph.ts'

/** An application or a service principal of a tenant. */
type Holder = { readonly tenant: GraphTenant; readonly path: string }
/** Gives a holder a credential or an owner. */
type Gift = (holder: Holder) => Promise<unknown>

const secretUntil =
  (endDateTime: string): Gift =>
  ({ tenant, path }) => {
    const times = { startDateTime: '2026-01-01T00:00:00Z', endDateTime }
    const passwordCredential = { displayName: 'primary', ...times }
    return tenant.send('POST', `${path}/addPassword`, { passwordCredential })
  }
const secret = secretUntil('2999-01-01T00:00:00Z')

/** The server takes RSA keys only, which take long to generate. */
const certificates =
  (count: number): Gift =>
  async ({ tenant, path }) => {
    const [, set, id] = path.split('/')
    const keyCredentials = Array.from({ length: count }, (_, number) => ({
      keyId: `11111111-1111-4111-8111-11111111111${number}`,
      startDateTime: '2026-01-01T00:00:00Z',
      endDateTime: '2999-01-01T00:00:00Z',
    }))
    const given = (one: Json) => (one.id === id ? { ...one, keyCredentials } : one)
    const edit = (body: Json) =>
      Array.isArray(body.value) ? { ...body, value: body.value.map(given) } : given(body)
    tenant.faults.push({ line: new RegExp(`^GET /${set}\\b`), times: 100, edit })
  }

const federated: Gift = ({ tenant, path }) =>
  tenant.send('POST', `${path}/federatedIdentityCredentials`, {
    name: 'tool',
    issuer: 'https://token.actions.githubusercontent.com',
    subject: 'repo:mallory/tool:ref:refs/heads/main',
    audiences: ['api://AzureADTokenExchange'],
  })

const owner = ({ tenant, path }: Holder, id: unknown) => {
  const url = `https://graph.microsoft.com/v1.0/directoryObjects/${id}`
  return tenant.send('POST', `${path}/owners/$ref`, { '@odata.id': url })
}

const toolOfMallory: Gift = async (holder) => {
  const { tenant } = holder
  const tool = { displayName: "Mallory's tool" }
  const { appId } = await tenant.send('POST', '/applications', tool)
  await owner(holder, (await tenant.send('POST', '/servicePrincipals', { appId })).id)
}

/** The server has no users. */
const people =
  (count: number): Gift =>
  async ({ tenant, path }) => {
    const value = Array.from({ length: count }, (_, number) => ({
      '@odata.type': '#microsoft.graph.user',
      id: `44444444-4444-4444-8444-44444444444${number}`,
      displayName: null,
    }))
    const line = new RegExp(`^GET ${path}/owners`)
    tenant.faults.push({ line, times: 100, edit: (body) => ({ ...body, value }) })
  }

const none: Gift = async () => undefined
const all =
  (...gifts: readonly Gift[]): Gift =>
  async (holder) => {
    for (const gift of gifts) await gift(holder)
  }

/** A directory in which an attacker has registered "Greeting client" before the file is applied. */
async function planted(test: TestContext, toApplication: Gift = none, toPrincipal?: Gift) {
  const served = await ServedGraph.start(test)
  const { tenant } = served
  const name = { displayName: 'Greeting client' }
  const application = await tenant.send('POST', '/applications', name)
  const { appId } = application
  await toApplication({ tenant, path: `/applications/${application.id}` })
  if (toPrincipal) {
    const { id } = await tenant.send('POST', '/servicePrincipals', { appId })
    await toPrincipal({ tenant, path: `/servicePrincipals/${id}` })
  }
  const path = await served.file(sampleFile())
  const created = new Date(String(application.createdDateTime)).toISOString()
  const since = created.slice(0, 10)
  return { served, path, tenant, application, applicationId: String(appId), created, since }
}

type Row = {
  readonly name: string
  readonly toApplication?: Gift
  readonly toPrincipal?: Gift
  readonly held: string
}

describe('CL14: an application that was found only by its name', () => {
  const person = '44444444-4444-4444-8444-44444444444'
  const heldRows: Row[] = [
    {
      name: 'a secret with the name in the file',
      toApplication: secret,
      held: 'with 1 secret of unknown origin',
    },
    {
      name: 'a certificate',
      toApplication: certificates(1),
      held: 'with 1 certificate of unknown origin',
    },
    {
      name: 'a federated credential',
      toApplication: federated,
      held: 'with 1 federated credential of unknown origin',
    },
    {
      name: 'a secret that has expired by the local clock',
      toApplication: secretUntil('2026-01-02T00:00:00Z'),
      held: 'with 1 secret of unknown origin',
    },
    {
      name: 'a secret of its service principal',
      toPrincipal: secret,
      held: 'with 1 secret of its service principal of unknown origin',
    },
    {
      name: 'credentials of its application and of its service principal',
      toApplication: certificates(2),
      toPrincipal: all(secret, certificates(1)),
      held: 'with 2 certificates and 1 secret and 1 certificate of its service principal of unknown origin',
    },
    {
      name: 'an owner',
      toApplication: toolOfMallory,
      held: `with no credentials, owned by "Mallory's tool" (MALLORY)`,
    },
    {
      name: 'an owner of its service principal',
      toPrincipal: people(1),
      held: `with no credentials, owned by ${person}0`,
    },
    {
      name: 'many owners and a secret of its service principal',
      toApplication: people(7),
      toPrincipal: all(people(7), secret),
      held: `with 1 secret of its service principal of unknown origin, owned by ${[0, 1, 2, 3, 4]
        .map((number) => `${person}${number}`)
        .join(', ')} and 2 more`,
    },
  ]
  for (const { name, toApplication, toPrincipal, held } of heldRows) {
    for (const answer of [undefined, 'yes']) {
      const confirmation = answer === undefined ? '--yes' : '--yes and a person'
      it(`is granted nothing while it has ${name}, despite ${confirmation}`, async (test) => {
        const { served, path, tenant, applicationId, since } = await planted(
          test,
          toApplication,
          toPrincipal,
        )
        const { code, err } = await served.run(['apply', path, '--yes'], answer)
        assert.equal(code, 1, err)
        assert.equal((await tenant.assignments()).length, 0)
        const isTool = ({ displayName }: Json) => displayName === "Mallory's tool"
        const tool = (await tenant.applications()).find(isTool)
        const reason = held.replace('MALLORY', String(tool?.appId))
        assert.ok(
          err.includes(
            `Admin consent for "Greeting client" is refused: application ${applicationId} was found by its name only. It exists since ${since}, ${reason}. Remove them, or add "applicationId": "${applicationId}" to its entry if this is your application.`,
          ),
          err,
        )
      })
    }
  }

  it('is trusted if the administrator owns it', async (test) => {
    const administrator: Gift = async (holder) => {
      const appId = holder.tenant.administrator.CLIENT_ID
      const { id } = await holder.tenant.send('GET', `/servicePrincipals(appId='${appId}')`)
      await owner(holder, id)
    }
    const { served, path, tenant } = await planted(test, administrator, administrator)
    const { code, err, questions } = await served.run(['apply', path], 'yes')
    assert.equal(code, 0, err)
    assert.match(questions[0] ?? '', /, with no credentials and no other owner\n/)
    assert.equal((await tenant.assignments()).length, 2)
  })

  it('is not adopted by --yes without a terminal, and the error contains the line for the file', async (test) => {
    const { served, path, tenant, applicationId, since } = await planted(test)
    const { code, out, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 2, err)
    assert.equal((await tenant.assignments()).length, 0)
    assert.equal((await tenant.applications()).length, 1)
    const line = `! ~ application "Greeting client" (${applicationId}), found by its name only: exists since ${since}, with no credentials and no other owner`
    assert.ok(out.includes(line), out)
    assert.ok(err.includes(line), err)
    assert.ok(
      err.includes(
        `Nothing was changed. If this is the right application, add "applicationId": "${applicationId}" to the entry "Greeting client" of ${path}. --yes does not cover this.`,
      ),
      err,
    )
  })

  const answers: [string, string, number, number][] = [
    ['the answer yes', 'yes', 0, 2],
    ['no answer', '', 1, 0],
  ]
  for (const [name, answer, exit, assignments] of answers)
    it(`needs a separate confirmation, even with --yes: ${name}`, async (test) => {
      const { served, path, tenant } = await planted(test)
      const { code, err, questions } = await served.run(['apply', path, '--yes'], answer)
      assert.equal(code, exit, err)
      assert.equal(questions.length, 1)
      assert.match(
        questions[0] ?? '',
        /Every user who can create applications can choose this name/,
      )
      assert.equal((await tenant.assignments()).length, assignments)
    })

  it('is refused together with all other such applications without a terminal', async (test) => {
    const { served, path, tenant, applicationId } = await planted(test)
    const api = await tenant.send('POST', '/applications', { displayName: 'Greeting API' })
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 2)
    assert.match(err, /^2 applications were found by a name only, and confirmation needs/m)
    for (const id of [api.appId, applicationId])
      assert.ok(err.includes(`"applicationId": "${id}" to the entry "Greeting`), err)
  })

  it('is shown by plan, as text and as JSON', async (test) => {
    const { served, path, applicationId, created } = await planted(test)
    const { out } = await served.run(['plan', path])
    assert.match(
      out,
      / Applications found by name need confirmation; --yes does not cover them\.\n/,
    )
    const { adoptions } = JSON.parse((await served.run(['plan', path, '--json'])).out)
    assert.deepEqual(adoptions, [
      {
        application: 'Greeting client',
        applicationId,
        foundBy: 'name',
        // A read shows whole seconds, as in Entra ID.
        createdDateTime: created.replace(/\.\d+Z$/, '.000Z'),
        secrets: 0,
        certificates: 0,
        federatedCredentials: 0,
        owners: [],
      },
    ])
  })

  it('is adopted without a question if the file contains its ID, even with credentials', async (test) => {
    const { served, tenant, applicationId } = await planted(test, secret)
    const [entry] = sampleFile().clients
    const file = { ...sampleFile(), clients: [{ ...entry, applicationId }] }
    const { code, err } = await served.run(['apply', await served.file(file)])
    assert.equal(code, 0, err)
    assert.equal((await tenant.assignments()).length, 2)
  })

  it('needs no confirmation while nothing changes', async (test) => {
    const { served, path } = await planted(test)
    const apis = await served.file({ clients: [{ displayName: 'Greeting client' }] }, 'b.json')
    assert.equal((await served.run(['apply', path], 'yes')).code, 0)
    await rm(join(served.folder, 'registered-applications.txt'))
    const { out, code } = await served.run(['apply', apis])
    assert.deepEqual([code, out], [0, 'No changes: the directory matches the file.\n'])
  })

  it('needs confirmation if it was found by an identifier URI, which an attacker can also choose', async (test) => {
    const served = await ServedGraph.start(test)
    const [api] = sampleFile().apis
    const identifierUris = [`api://${served.tenant.administrator.TENANT_ID}/orders`]
    await served.tenant.send('POST', '/applications', { displayName: 'x', identifierUris })
    const path = await served.file({ apis: [{ ...api, identifierUris }] })
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 2)
    assert.match(err, /\), found by its identifier URI only: exists since/)
  })

  it('needs no confirmation if this data folder has a record of its ID', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    assert.equal((await served.run(['apply', path])).code, 0)
    const record = await readFile(join(served.folder, 'registered-applications.txt'), 'utf8')
    const ids = (await served.tenant.applications()).map(({ appId }) => appId)
    assert.deepEqual(record.trim().split('\n'), ids)
    await served.tenant.removeAssignments()
    assert.equal((await served.run(['apply', path])).code, 0)
    assert.equal((await served.tenant.assignments()).length, 2)
  })

  it('needs confirmation if other users can write to the record', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    await served.run(['apply', path])
    await served.tenant.removeAssignments()
    await chmod(join(served.folder, 'registered-applications.txt'), 0o622)
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 1)
    assert.match(err, /Admin consent for "Greeting client" is refused/)
  })
})

describe('CL14: greeting registrations apply --write-ids', () => {
  it('writes the IDs into the file, so that another machine can apply it', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(`${JSON.stringify(sampleFile(), undefined, 2)}\n`)
    await chmod(path, 0o640)
    const { code, out, err } = await served.run(['apply', path, '--write-ids'])
    assert.equal(code, 0, err)
    assert.doesNotMatch(out, /"applicationId"/)
    assert.equal((await stat(path)).mode & 0o777, 0o640)
    assert.equal((await readFile(path, 'utf8')).match(/"applicationId": "/g)?.length, 2)
    await rm(join(served.folder, 'registered-applications.txt'))
    await served.tenant.removeAssignments()
    assert.equal((await served.run(['apply', path, '--yes'])).code, 0)
    assert.equal((await served.tenant.assignments()).length, 2)
  })

  it('asks for confirmation if an application was found by name, even without changes', async (test) => {
    const served = await ServedGraph.start(test)
    await served.tenant.send('POST', '/applications', { displayName: 'Orders' })
    const [application = {}] = await served.tenant.applications()
    await served.tenant.send('POST', '/servicePrincipals', { appId: application.appId })
    const text = '{ "clients": [{ "displayName": "Orders" }] }'
    const path = await served.file(text)
    assert.equal((await served.run(['apply', path, '--write-ids', '--yes'])).code, 2)
    assert.equal(await readFile(path, 'utf8'), text)
    assert.equal((await served.run(['apply', path, '--write-ids'], 'yes')).code, 0)
    assert.match(await readFile(path, 'utf8'), new RegExp(String(application.appId)))
  })

  it('is optional, because apply prints the IDs of new applications for the file', async (test) => {
    const served = await ServedGraph.start(test)
    const { out } = await served.run(['apply', await served.file(sampleFile())])
    for (const { displayName, appId } of await served.tenant.applications())
      assert.ok(out.includes(`\n  "applicationId": "${appId}" for "${displayName}"\n`), out)
  })
})
