import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Json } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { allTests } from '../../fakes/servers.ts'
import { applied } from './applied-graph.ts'
import type { ServedGraph } from './served-graph.ts'

const names = ['--client', 'Greeting client', '--api', 'Greeting API']
const federated = {
  name: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  subject: 'repo:contoso/orders:ref:refs/heads/main',
  audiences: ['api://AzureADTokenExchange'],
}
const withRoles =
  /^"Greeting client" gets a token for "Greeting API" with CallHiApiRole, CallHelloApiRole\.\n\n/

/** An application of the tenant, by its name. */
const found = async ({ tenant }: ServedGraph, name: string) => {
  const isNamed = ({ displayName }: Json) => displayName === name
  const application = (await tenant.applications()).find(isNamed) ?? {}
  const principal = (await tenant.servicePrincipals()).find(isNamed) ?? {}
  return { application, principal }
}

/** Removes the secrets of an application, and changes its other properties. */
async function changed({ tenant }: ServedGraph, { id, passwordCredentials }: Json, body: Json) {
  for (const { keyId } of passwordCredentials as Json[])
    await tenant.send('POST', `/applications/${id}/removePassword`, { keyId })
  await tenant.send('PATCH', `/applications/${id}`, body)
}

describe('greeting registrations explain', () => {
  /** The tests that only read share it. */
  let unchanged: ServedGraph
  before(async () => {
    unchanged = (await applied(allTests)).served
  })

  it('exits with 0 if no step is missing, otherwise with 4', async (test) => {
    const { served, path } = await applied(test)
    const complete = await served.run(['explain', ...names])
    assert.equal(complete.code, 0, complete.err)
    assert.match(complete.out, withRoles)
    await served.tenant.removeAssignments()
    const { code, out, err } = await served.run(['explain', ...names])
    assert.deepEqual([code, err], [4, ''])
    assert.match(
      out,
      /without any role\.\nMissing step: Admin consent\.\n.*5 Admin consent +MISSING/s,
    )
    await served.run(['apply', path])
    const { out: json } = await served.run(['explain', ...names, '--json'])
    const { tokenRoles, missingSteps } = JSON.parse(json)
    assert.deepEqual([tokenRoles, missingSteps], [['CallHiApiRole', 'CallHelloApiRole'], []])
  })

  it('lists all missing steps beside the reason for the refusal', async (test) => {
    const { served } = await applied(test)
    const { application } = await found(served, 'Greeting client')
    await changed(served, application, { requiredResourceAccess: [] })
    await served.tenant.removeAssignments()
    const { code, out } = await served.run(['explain', ...names])
    assert.equal(code, 4)
    assert.ok(
      out.startsWith(
        `"Greeting client" gets no token for "Greeting API": it has no credential (AADSTS7000215).\nMissing steps: Permissions, Admin consent, Client secret.\n\n`,
      ),
      out,
    )
    const { out: json } = await served.run(['explain', ...names, '--json'])
    const steps = ['Permissions', 'Admin consent', 'Client secret']
    assert.deepEqual(JSON.parse(json).missingSteps, steps)
  })

  it('recognizes a client whose only credential is federated', async (test) => {
    const { served } = await applied(test)
    const { application } = await found(served, 'Greeting client')
    await changed(served, application, {})
    await served.tenant.send(
      'POST',
      `/applications/${application.id}/federatedIdentityCredentials`,
      federated,
    )
    const { code, out } = await served.run(['explain', ...names])
    assert.equal(code, 0, out)
    assert.match(out, /6 Client secret +ok +federated credential\n/)
  })

  const ways: [what: string, of: (served: ServedGraph, name: string) => unknown][] = [
    ['application ID', async (served, name) => (await found(served, name)).application.appId],
    [
      'application ID in upper case',
      async (served, name) => String((await found(served, name)).application.appId).toUpperCase(),
    ],
    [
      'object ID of the application',
      async (served, name) => (await found(served, name)).application.id,
    ],
    [
      'object ID of the service principal',
      async (served, name) => (await found(served, name)).principal.id,
    ],
    ['name in another case', (_, name) => name.toUpperCase()],
  ]
  for (const [what, of] of ways) {
    it(`finds the client and the API by ${what}`, async () => {
      const client = await of(unchanged, 'Greeting client')
      const api = await of(unchanged, 'Greeting API')
      const { code, out, err } = await unchanged.run([
        'explain',
        '--client',
        `${client}`,
        '--api',
        `${api}`,
      ])
      assert.equal(code, 0, err)
      assert.match(out, withRoles)
    })
  }

  it("finds an API by its identifier URI and by a client's scope", async () => {
    const { appId } = (await found(unchanged, 'Greeting API')).application
    for (const api of [`api://${appId}`, `api://${appId}/.default`]) {
      const { code, out } = await unchanged.run([
        'explain',
        '--client',
        'Greeting client',
        '--api',
        api,
      ])
      assert.equal(code, 0)
      assert.match(out, withRoles)
    }
  })

  const unknown: [client: string, suggests: boolean][] = [
    ['Greting cleint', true],
    ['greeting', true],
    ['clint', true],
    ['Payroll', false],
  ]
  for (const [client, suggests] of unknown) {
    it(`exits with 2 for ${client}, and suggests ${suggests ? 'a' : 'no'} similar name`, async () => {
      const { appId } = (await found(unchanged, 'Greeting client')).application
      const args = ['explain', '--client', client, '--api', 'Greeting API']
      const { code, out, err } = await unchanged.run(args)
      assert.deepEqual([code, out], [2, ''])
      const [first, ...rest] = err.split('\n')
      assert.equal(first, `No application in this tenant matches "${client}".`)
      assert.equal(rest.includes('Did you mean:'), suggests)
      assert.equal(
        rest.some((line) => line.startsWith(`  ${appId}  "Greeting client", since `)),
        suggests,
      )
      assert.match(
        err,
        /--client takes a name, an application ID, an object ID or an identifier URI\.\n$/,
      )
    })
  }

  it('prefers the name with the same case', async (test) => {
    const { served } = await applied(test)
    await served.tenant.send('POST', '/applications', { displayName: 'GREETING client' })
    const { code, out } = await served.run(['explain', ...names])
    assert.equal(code, 0)
    assert.match(out, withRoles)
    const other = await served.run([
      'explain',
      '--client',
      'greeting CLIENT',
      '--api',
      'Greeting API',
    ])
    assert.equal(other.code, 2)
    assert.match(other.err, /^2 applications match/)
  })

  it('exits with 2 if several applications have one name, and accepts one of their IDs', async (test) => {
    const { served } = await applied(test)
    const { appId } = (await found(served, 'Greeting client')).application
    const twin = await served.tenant.send('POST', '/applications', {
      displayName: 'Greeting client',
    })
    const { code, out, err } = await served.run(['explain', ...names])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^2 applications match "Greeting client":\n/)
    for (const id of [appId, twin.appId])
      assert.ok(err.includes(`  ${id}  "Greeting client", since `), err)
    const api = ['--api', 'Greeting API']
    const right = await served.run(['explain', '--client', `${appId}`, ...api])
    assert.equal(right.code, 0)
    assert.match(right.out, withRoles)
    const wrong = await served.run(['explain', '--client', `${twin.appId}`, ...api])
    assert.equal(wrong.code, 4)
    assert.match(
      wrong.out,
      /no service principal .*\nMissing steps: Client registration, Permissions, Admin consent, Client secret\./,
    )
  })
})
