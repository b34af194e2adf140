import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { run, type System, startSystem, temporaryFolder } from './greeting-process.ts'

const tokenOf = async (system: System) =>
  (await run('greeting', ['token', '--settings', system.clientEnvFile])).out.trim()

const hi = (system: System, token: string) =>
  fetch(`${system.api.url}/api/v1/hi`, { headers: { authorization: `Bearer ${token}` } })

const secretOf = async (system: System) =>
  /^CLIENT_SECRET=(.*)$/m.exec(await readFile(system.clientEnvFile, 'utf8'))?.[1]

const keysOf = async ({ identityProvider: { url, tenantId } }: System): Promise<string[]> => {
  const { keys } = await (await fetch(`${url}/${tenantId}/discovery/keys`)).json()
  return keys.map(({ kid }: { kid: string }) => kid).sort()
}

const services = ['identity-provider', 'greeting-api']

/** The process of a service, as its log names it. */
const processOf = async (system: System, service: string): Promise<number> => {
  const log = await readFile(join(system.logFolder, `${service}.log`), 'utf8')
  return JSON.parse(log.split('\n', 1)[0] ?? '').pid
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The state that must be the same after each start. */
const stateOf = async (system: System) => ({
  keys: await keysOf(system),
  secret: await secretOf(system),
  client: system.client.applicationId,
  status: (await hi(system, await tokenOf(system))).status,
})

const endings = [
  { how: 'stopped', end: async (system: System) => assert.equal(await system.stop(), 0) },
  {
    how: 'interrupted with Ctrl-C',
    end: async (system: System) => assert.equal(await system.stop('SIGINT'), 0),
  },
  {
    how: 'killed with all its processes',
    end: async (system: System) => {
      for (const service of services) process.kill(await processOf(system, service), 'SIGKILL')
      await system.stop('SIGKILL')
    },
  },
]

describe('a system that was running before', () => {
  // A start takes longer than all assertions here, so all tests share one folder.
  it('is the same after each start in its folder', async (t: TestContext) => {
    const dataDir = await temporaryFolder(t)
    let system = await startSystem(dataDir)
    t.after(() => system.child.kill('SIGKILL'))
    const first = await stateOf(system)
    assert.equal(first.status, 200)

    for (const { how, end } of endings)
      await t.test(`keeps its keys, registrations and secrets when it was ${how}`, async () => {
        await end(system)
        system = await startSystem(dataDir)
        assert.deepEqual(await stateOf(system), first)
      })

    for (const service of services)
      await t.test(
        `ends with one sentence, and leaves no process running, when the ${service} is killed`,
        async () => {
          if (system.child.exitCode !== null) system = await startSystem(dataDir)
          const pids = await Promise.all(services.map((one) => processOf(system, one)))
          process.kill(await processOf(system, service), 'SIGKILL')
          const code = await new Promise((resolve) => system.child.on('close', resolve))
          assert.equal(code, 1)
          assert.match(system.err(), /stopped unexpectedly\. The other services were stopped\./)
          for (const pid of pids) assert.equal(isRunning(pid), false)
        },
      )
  })
})
