import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
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

describe('a system that was running before', () => {
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
  for (const { how, end } of endings) {
    it(`keeps its keys, registrations and secrets when it was ${how}`, async (t) => {
      const dataDir = await temporaryFolder(t)
      const first = await startSystem(dataDir)
      t.after(() => first.child.kill('SIGKILL'))
      const [keys, secret] = [await keysOf(first), await secretOf(first)]
      assert.equal((await hi(first, await tokenOf(first))).status, 200)
      await end(first)

      const second = await startSystem(dataDir)
      t.after(() => second.stop())
      assert.deepEqual(await keysOf(second), keys)
      assert.equal(await secretOf(second), secret)
      assert.equal(second.client.applicationId, first.client.applicationId)
      assert.equal((await hi(second, await tokenOf(second))).status, 200)
    })
  }

  for (const service of services) {
    it(`ends with one sentence, and leaves nothing running, when the ${service} is killed`, async (t) => {
      const system = await startSystem(await temporaryFolder(t))
      t.after(() => system.child.kill('SIGKILL'))
      const pids = await Promise.all(services.map((one) => processOf(system, one)))
      process.kill(await processOf(system, service), 'SIGKILL')
      const code = await new Promise((resolve) => system.child.on('close', resolve))
      assert.equal(code, 1)
      assert.match(system.err(), /stopped unexpectedly\. The other services were stopped\./)
      for (const pid of pids) assert.equal(isRunning(pid), false)
    })
  }
})
