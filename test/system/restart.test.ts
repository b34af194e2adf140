import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import {
  environment,
  folderOfClone,
  root,
  run,
  type System,
  startSystem,
} from './greeting-process.ts'

const freePorts = ['--api-port', '0', '--identity-port', '0']

const settingsOf = async (system: System) => parseEnv(await readFile(system.clientEnvFile, 'utf8'))

async function tokenOf(system: System): Promise<string> {
  const { TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '' } = await settingsOf(system)
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    scope: `api://${system.api.applicationId}/.default`,
  })
  const url = `${system.identityProvider.url}/${TENANT_ID}/oauth2/v2.0/token`
  return (await (await fetch(url, { method: 'POST', body: form })).json()).access_token
}

const hi = (system: System, token: string) =>
  fetch(`${system.api.url}/api/v1/hi`, { headers: { authorization: `Bearer ${token}` } })

const keysOf = async ({ identityProvider: { url, tenantId } }: System): Promise<string[]> => {
  const { keys } = await (await fetch(`${url}/${tenantId}/discovery/keys`)).json()
  return keys.map(({ kid }: { kid: string }) => kid).sort()
}

const logOf = (system: System, service: string) =>
  readFile(join(system.logFolder, `${service}.log`), 'utf8')

/** Lets a request for /fault throw an error that nothing catches. */
const withFault = `--import data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel'
  subscribe('http.server.request.start', ({ request }) => {
    if (request.url === '/fault') setImmediate(() => { throw new Error('the fault') })
  })`)}`

const portOf = (url: string) => Number(new URL(url).port)

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** The ports that are still in use after a time, in milliseconds. */
async function portsTakenAfter(ms: number, ports: readonly number[]): Promise<number[]> {
  const endMs = performance.now() + ms
  let taken = [...ports]
  while (taken.length > 0 && performance.now() < endMs) {
    const free = await Promise.all(taken.map(isFree))
    taken = taken.filter((_, index) => !free[index])
    await sleep(20)
  }
  return taken
}

/** The state that must be the same after each start. */
const stateOf = async (system: System) => ({
  keys: await keysOf(system),
  secret: (await settingsOf(system)).CLIENT_SECRET,
  client: system.client.applicationId,
  status: (await hi(system, await tokenOf(system))).status,
})

async function assertPortsFree({ identityProvider, api }: System): Promise<void> {
  const urls = [identityProvider.url, identityProvider.httpsUrl, api.url]
  assert.deepEqual(await portsTakenAfter(2_000, urls.map(portOf)), [])
}

const endings = [
  {
    // The first system. Its output closes when the last process that has inherited it ends.
    how: 'stopped by SIGTERM to npm alone, which leaves no process and no port in use',
    end: async (system: System) => {
      assert.equal(await Promise.race([system.stop(), sleep(10_000, 'open', { ref: false })]), 0)
      await assertPortsFree(system)
    },
  },
  {
    how: 'killed, which leaves no running service: all its ports are free within two seconds',
    end: async (system: System) => {
      await system.stop('SIGKILL')
      await assertPortsFree(system)
    },
  },
]

describe('a system that ran before', () => {
  // A start takes longer than all assertions here, so all tests share one folder.
  it('is unchanged after each start in its folder', async (t: TestContext) => {
    const dataDir = folderOfClone()
    const env = { NODE_OPTIONS: withFault }
    let system = await startSystem(dataDir, { command: ['npm', 'start', '--silent', '--'] })
    t.after(() => system.stop('SIGKILL'))
    const first = await stateOf(system)
    assert.equal(first.status, 200)

    for (const { how, end } of endings)
      await t.test(`keeps its keys, registrations and secrets if it was ${how}`, async () => {
        await end(system)
        system = await startSystem(dataDir, { env })
        assert.deepEqual(await stateOf(system), first)
      })

    await t.test('refuses a second start in its folder, which changes nothing', async () => {
      const clientEnv = await readFile(system.clientEnvFile, 'utf8')
      const logs = await readdir(system.logFolder)
      assert.deepEqual(await run('greeting', ['start', '--data-dir', dataDir, ...freePorts]), {
        code: 1,
        out: '',
        err: `Another local system uses the data folder ${dataDir}.\nStop it, or choose another folder with --data-dir.\n`,
      })
      assert.equal(await readFile(system.clientEnvFile, 'utf8'), clientEnv)
      assert.deepEqual(await readdir(system.logFolder), logs)
      const { out } = await run('greeting', ['hi', '--settings', system.clientEnvFile])
      assert.equal(out, 'Hi\n')
    })

    for (const [service, title] of [
      ['identity-provider', 'identity provider'],
      ['greeting-api', 'greeting API'],
    ] as const)
      await t.test(
        `stops with one sentence after a failure of the ${title}, which its log contains`,
        async () => {
          const { url } = service === 'greeting-api' ? system.api : system.identityProvider
          const closed = once(system.child, 'close')
          await fetch(`${url}/fault`).catch(() => undefined)
          assert.deepEqual(await closed, [1, null])
          assert.match(
            system.err(),
            new RegExp(`^The ${title} stopped unexpectedly. The other services were stopped.\\n`),
          )
          assert.match(await logOf(system, service), /^Error: the fault\n/m)
          await assertPortsFree(system)
          system = await startSystem(dataDir, { env })
        },
      )
    await system.stop()

    await t.test(
      'reports in one sentence that the data folder is corrupt, and leaves the folder unchanged',
      async () => {
        const databases = (await readdir(dataDir)).filter((name) => /\.(db|sqlite)$/.test(name))
        assert.equal(databases.length, 1)
        const database = join(dataDir, databases[0] ?? '')
        for (const name of await readdir(dataDir)) {
          if (/-(wal|shm)$/.test(name)) await writeFile(join(dataDir, name), '')
        }
        await writeFile(database, 'not a database, but data of another program'.repeat(100))
        const before = await readFile(database)
        const { code, out, err } = await run('greeting', [
          'start',
          '--data-dir',
          dataDir,
          ...freePorts,
        ])
        assert.equal(code, 1)
        assert.equal(out, '')
        assert.equal(err.trim().split('\n').length, 1, err)
        assert.match(err, /data|database/i)
        assert.deepEqual(await readFile(database), before)
      },
    )
  })
})

describe('a separately started service', () => {
  it('outlives the process that started it', async (t) => {
    const main = join(root, 'services/greeting-api/src/main.ts')
    const provider = { AUTH_URL: 'http://127.0.0.1:9', ISSUER_URL: 'http://127.0.0.1:9' }
    const ids = { TENANT_ID: crypto.randomUUID(), API_APPLICATION_ID: crypto.randomUUID() }
    const shell = spawn('bash', ['-c', `node ${main} & exit`], {
      env: { ...environment, ...provider, ...ids, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(shell, 'exit')
    for await (const line of createInterface(shell.stdout)) {
      const { msg, url, pid } = JSON.parse(line)
      if (msg !== 'listening') continue
      t.after(() => process.kill(pid, 'SIGKILL'))
      await exited
      assert.equal((await fetch(`${url}/healthz`)).status, 200)
      return
    }
    assert.fail('The greeting API did not start.')
  })
})
