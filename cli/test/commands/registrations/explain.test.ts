import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applied } from './applied-graph.ts'
import type { ServedGraph } from './served-graph.ts'

const names = ['--client', 'Greeting client', '--api', 'Greeting API']
const withRoles =
  /^"Greeting client" gets a token for "Greeting API" with CallHiApiRole, CallHelloApiRole\.\n\n/

/** An application of the fake, by its name. */
const found = ({ stand }: ServedGraph, name: string) => {
  const { applications, servicePrincipals } = stand.directory
  const application = [...applications.values()].find(({ displayName }) => displayName === name)
  const principal = [...servicePrincipals.values()].find(
    ({ appId }) => appId === application?.appId,
  )
  return { application: application ?? {}, principal: principal ?? {} }
}

describe('greeting registrations explain', () => {
  it('exits with 0 without a missing step, else with 4', async (test) => {
    const { served, path } = await applied(test)
    const complete = await served.run(['explain', ...names])
    assert.equal(complete.code, 0, complete.err)
    assert.match(complete.out, withRoles)
    served.stand.directory.assignments.clear()
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

  it('names all missing steps beside the reason of the refusal', async (test) => {
    const { served } = await applied(test)
    const { application } = found(served, 'Greeting client')
    Object.assign(application, { passwordCredentials: [], requiredResourceAccess: [] })
    served.stand.directory.assignments.clear()
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

  it('knows a client whose only credential is a federated one', async (test) => {
    const { served } = await applied(test)
    const { application } = found(served, 'Greeting client')
    const federated = { federatedIdentityCredentials: [{ id: 'github' }] }
    Object.assign(application, { passwordCredentials: [], ...federated })
    const { code, out } = await served.run(['explain', ...names])
    assert.equal(code, 0, out)
    assert.match(out, /6 Client secret +ok +federated credential\n/)
  })

  const ways: [what: string, of: (served: ServedGraph, name: string) => unknown][] = [
    ['application ID', (served, name) => found(served, name).application.appId],
    [
      'application ID in capitals',
      (served, name) => String(found(served, name).application.appId).toUpperCase(),
    ],
    ['object ID of the application', (served, name) => found(served, name).application.id],
    ['object ID of the service principal', (served, name) => found(served, name).principal.id],
    ['name in another case', (_, name) => name.toUpperCase()],
  ]
  for (const [what, of] of ways) {
    it(`finds client and API by ${what}`, async (test) => {
      const { served } = await applied(test)
      const [client, api] = ['Greeting client', 'Greeting API'].map((name) => of(served, name))
      const { code, out, err } = await served.run([
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

  it('finds an API by its identifier URI, and by the scope of a client', async (test) => {
    const { served } = await applied(test)
    const { appId } = found(served, 'Greeting API').application
    for (const api of [`api://${appId}`, `api://${appId}/.default`]) {
      const { code, out } = await served.run([
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
    it(`exits with 2 for ${client}, ${suggests ? 'with' : 'without'} a similar name`, async (test) => {
      const { served } = await applied(test)
      served.stand.pageSize = 100
      const { appId } = found(served, 'Greeting client').application
      const args = ['explain', '--client', client, '--api', 'Greeting API']
      const { code, out, err } = await served.run(args)
      assert.deepEqual([code, out], [2, ''])
      const [first, ...rest] = err.split('\n')
      assert.equal(first, `No application of the tenant matches "${client}".`)
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

  it('prefers the name in the same case', async (test) => {
    const { served } = await applied(test)
    served.stand.directory.createApplication({ displayName: 'GREETING client' })
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

  it('exits with 2 for several applications of one name, and takes the ID of one', async (test) => {
    const { served } = await applied(test)
    const { appId } = found(served, 'Greeting client').application
    const twin = served.stand.directory.createApplication({ displayName: 'Greeting client' })
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
