import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { sampleBlueprint, sampleFile } from '@greeting/registrations/samples'
import { roleMissing } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { applied } from './applied-graph.ts'
import { ServedGraph } from './served-graph.ts'

const secretOf = async (file: string) => parseEnv(await readFile(file, 'utf8')).CLIENT_SECRET ?? ''

describe('greeting registrations apply', () => {
  it('registers the system, and writes the secret to a file that only its owner can read', async (test) => {
    const served = await ServedGraph.start(test)
    const { code, out, err } = await served.run(['apply', await served.file(sampleFile())])
    assert.equal(code, 0, err)
    const file = join(served.folder, 'secrets', 'greeting-client.env')
    assert.match(out, /\nDone: the directory matches the file\.\n/)
    assert.ok(out.includes(`is in ${file}\n`), out)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await stat(dirname(file))).mode & 0o777, 0o700)
    const settings = parseEnv(await readFile(file, 'utf8'))
    assert.deepEqual(Object.keys(settings).sort(), [
      'API_APPLICATION_ID',
      'AUTH_URL',
      'CLIENT_ID',
      'CLIENT_SECRET',
      'CLIENT_SECRET_EXPIRES',
      'SCOPE',
      'TENANT_ID',
    ])
    assert.ok(!out.includes(settings.CLIENT_SECRET ?? ''))
  })

  it('changes nothing when it runs a second time', async (test) => {
    const { served, path } = await applied(test)
    served.tenant.lines.length = 0
    const { out } = await served.run(['apply', path])
    assert.equal(out, 'No changes: the directory matches the file.\n')
    assert.deepEqual(
      served.tenant.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  it('prints the secret once with --secrets-file -', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    const { out } = await served.run(['apply', path, '--secrets-file', '-'])
    assert.match(out, /^CLIENT_ID=[0-9a-f-]{36}\nCLIENT_SECRET='?[^\n']{40,}'?$/m)
  })

  it('prints the result as JSON, without secrets that it writes to a file', async (test) => {
    const served = await ServedGraph.start(test)
    const file = join(served.folder, 'own.env')
    const path = await served.file(sampleFile())
    const { out } = await served.run(['apply', path, '--json', '--secrets-file', file])
    const { done, left, secrets } = JSON.parse(out)
    assert.deepEqual([done.length, left.length, secrets[0].file], [10, 0, file])
    assert.ok(!out.includes(await secretOf(file)))
  })

  it('refuses one file for several secrets before it changes anything', async (test) => {
    const served = await ServedGraph.start(test)
    const [client] = sampleFile().clients
    const secrets = [{ displayName: 'one' }, { displayName: 'two' }]
    const path = await served.file({ ...sampleFile(), clients: [{ ...client, secrets }] })
    const one = ['--secrets-file', join(served.folder, 'x.env')]
    const { code, err } = await served.run(['apply', path, ...one])
    assert.equal(code, 2)
    assert.match(
      err,
      /Several new secrets would have the same file, .*x\.env\.\nOmit --secrets-file/,
    )
    assert.equal((await served.tenant.applications()).length, 0)
    const { out } = await served.run(['apply', path])
    assert.match(out, /greeting-client\.one\.env\n.*greeting-client\.two\.env\n/s)
  })

  it('changes nothing if the secret cannot be stored', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    const inTheWay = await served.file('', 'in-the-way')
    const { code, err } = await served.run([
      'apply',
      path,
      '--secrets-file',
      join(inTheWay, 'x.env'),
    ])
    assert.equal(code, 1)
    assert.match(err, /Cannot write new secrets to .*Choose another file/s)
    assert.equal((await served.tenant.applications()).length, 0)
  })

  describe('greeting registrations apply before a removal', () => {
    const withoutConsent = () => ({ ...sampleFile(), consents: [] })
    const rows = [
      {
        name: 'asks, and continues if the answer is yes',
        args: [],
        answer: 'yes',
        exit: 0,
        assignments: 0,
      },
      {
        name: 'asks, and stops after any other answer',
        args: [],
        answer: '',
        exit: 1,
        assignments: 2,
      },
      {
        name: 'does not ask with --yes',
        args: ['--yes'],
        answer: undefined,
        exit: 0,
        assignments: 0,
      },
      {
        name: 'fails without a terminal',
        args: [],
        answer: undefined,
        exit: 2,
        assignments: 2,
      },
    ]
    for (const { name, args, answer, exit, assignments } of rows) {
      it(name, async (test) => {
        const { served } = await applied(test)
        const path = await served.file(withoutConsent(), 'without-consent.json')
        const { code, err, questions } = await served.run(['apply', path, ...args], answer)
        assert.equal(code, exit, err)
        assert.equal((await served.tenant.assignments()).length, assignments)
        const shown = questions.join('') + err
        const isShown = /! - "Greeting client" was granted CallHiApiRole of "Greeting API"/.test(
          shown,
        )
        assert.equal(isShown, args.length === 0)
      })
    }
  })

  it('rotates a secret on request: the file gets the new secret, and the old one stays valid', async (test) => {
    const { served, path } = await applied(test)
    const file = join(served.folder, 'secrets', 'greeting-client.env')
    const before = await secretOf(file)
    await writeFile(file, `${await readFile(file, 'utf8')}BASE_URL=https://api.example\n`)
    const { code } = await served.run(['apply', path, '--rotate', 'Greeting client', '--yes'])
    assert.equal(code, 0)
    assert.notEqual(await secretOf(file), before)
    assert.equal(parseEnv(await readFile(file, 'utf8')).BASE_URL, 'https://api.example')
    const [, client = {}] = await served.tenant.applications()
    assert.equal((client.passwordCredentials as unknown[]).length, 2)
  })

  it('refuses to rotate a client that is not in the file', async (test) => {
    const { served, path } = await applied(test)
    const { code, err } = await served.run(['apply', path, '--rotate', 'Greeting job'])
    assert.equal(code, 2)
    assert.match(err, /The file has no client "Greeting job" with secrets/)
  })

  it('stops at the first refusal, and lists the completed, refused and remaining changes', async (test) => {
    const served = await ServedGraph.start(test)
    served.tenant.faults.push({ line: /^POST .*appRoleAssign/, times: 2, ...roleMissing })
    const path = await served.file(sampleFile())
    const { code, out, err } = await served.run(['apply', path])
    assert.equal(code, 4)
    assert.match(
      out,
      /\nDone:\n(.*\n)+Refused:\n {2}\+ "Greeting client" is granted CallHiApiRole of "Greeting API"\nNot attempted:\n(.*\n)+/,
    )
    assert.match(err, /lacks the application role AppRoleAssignment\.ReadWrite\.All/)
  })

  it("reports the directory's refusal with its message and a remedy", async (test) => {
    const served = await ServedGraph.start(test)
    const [api] = sampleFile().apis
    const apis = [{ ...api, identifierUris: ['https://orders.example/api'] }]
    const file = await served.file({ apis })
    const { code, err } = await served.run(['apply', file])
    assert.equal(code, 1)
    assert.match(
      err,
      /InvalidUniqueTenantIdentifierAsPerAppPolicy.*\(request [0-9a-f-]{36}\)\n.*api:\/\/\{applicationId\} is always valid/s,
    )
  })

  it('reports a full tenant, but no missing role', async (test) => {
    const served = await ServedGraph.start(test)
    const error = { code: 'Directory_QuotaExceeded', message: 'The quota has been exceeded.' }
    served.tenant.faults.push({ line: /^POST /, times: 9, status: 403, body: { error } })
    const { code, err } = await served.run(['apply', await served.file(sampleFile())])
    assert.equal(code, 1)
    assert.match(err, /QuotaExceeded: The quota has been exceeded\..*count until their purge/s)
    assert.doesNotMatch(err, /role/)
  })

  it('returns once the directory shows the changes, so that the next run sees them', async (test) => {
    const served = await ServedGraph.start(test)
    const line = /^GET \/applications\/[^/]+$/
    served.tenant.faults.push({ line, status: 404, times: 2 })
    // One object, so that the test waits for few reads.
    const path = await served.file({ apis: sampleFile().apis })
    const { code, err } = await served.run(['apply', path])
    assert.equal(code, 0, err)
    assert.match((await served.run(['plan', path])).out, /No changes/)
  })

  it('reports the reason for a wait', async (test) => {
    const served = await ServedGraph.start(test)
    served.tenant.faults.push({
      line: /^POST \/applications$/,
      status: 429,
      times: 1,
      headers: { 'retry-after': '0' },
    })
    const { code, err } = await served.run(['apply', await served.file(sampleFile())])
    assert.equal(code, 0)
    assert.equal(err, 'The directory: throttled. Next attempt in 0.0 s.\n')
  })

  it("prints a new agent's ID, and writes it to the settings file of its blueprint", async (test) => {
    const served = await ServedGraph.start(test)
    const blueprint = { ...sampleBlueprint(), secrets: [{ displayName: 'first' }] }
    const apply = async (agents: object[]) => {
      const file = { ...sampleFile(), blueprints: [{ ...blueprint, agents }] }
      return (await served.run(['apply', await served.file(file)])).out
    }
    await apply([])
    const out = await apply([{ displayName: 'Agent 1' }])
    const [, id = ''] = /"applicationId": "(\S+)" for "Agent 1"/.exec(out) ?? []
    const settings = await readFile(join(served.folder, 'secrets/helper-blueprint.env'), 'utf8')
    assert.match(settings, new RegExp(`^AGENT_ID=${id}$`, 'm'), out)
    assert.match(settings, /^CLIENT_SECRET=./m)
    assert.notEqual(id, '')
  })

  it('adds a setting for each of several agents, keeps the selected agent, and removes a former agent', async (test) => {
    const served = await ServedGraph.start(test)
    const blueprint = { ...sampleBlueprint(), secrets: [{ displayName: 'first' }] }
    const path = join(served.folder, 'secrets/helper-blueprint.env')
    const agentsAfter = async (...names: string[]) => {
      const agents = names.map((displayName) => ({ displayName }))
      const file = { ...sampleFile(), blueprints: [{ ...blueprint, agents }] }
      const { code, err } = await served.run(['apply', '--yes', await served.file(file)])
      assert.equal(code, 0, err)
      const settings = Object.entries(parseEnv(await readFile(path, 'utf8')))
      return Object.fromEntries(settings.filter(([name]) => name.startsWith('AGENT_ID')))
    }
    const { AGENT_ID: first = '', ...none } = await agentsAfter('Night 1')
    assert.deepEqual([none, first !== ''], [{}, true])
    const several = await agentsAfter('Night 1', 'night-1', 'Día')
    assert.equal(new Set(Object.values(several)).size, 3)
    assert.deepEqual(Object.keys(several).toSorted(), [
      'AGENT_ID',
      'AGENT_ID_D_A',
      'AGENT_ID_NIGHT_1',
      'AGENT_ID_NIGHT_1_2',
    ])
    assert.deepEqual([several.AGENT_ID, several.AGENT_ID_NIGHT_1], [first, first])
    const { AGENT_ID_D_A: day } = several
    assert.deepEqual(await agentsAfter('Día'), { AGENT_ID: day })
    assert.deepEqual(await agentsAfter(), {})
  })
})
