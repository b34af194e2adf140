import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { environment, root, run, startSystem, temporaryFolder } from './greeting-process.ts'

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

/** A system that a test may kill. All its processes end after the test, also after a failure. */
async function killableSystem(t: TestContext, dataDir: string) {
  const system = await startSystem(dataDir)
  const logs = await readdir(system.logFolder)
  const pids = await Promise.all(
    logs.map(async (log) => {
      const [first = ''] = (await readFile(join(system.logFolder, log), 'utf8')).split('\n')
      return Number(JSON.parse(first).pid)
    }),
  )
  t.after(async () => {
    await system.stop('SIGKILL')
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has ended, as expected.
      }
  })
  const urls = [system.identityProvider.url, system.identityProvider.httpsUrl, system.api.url]
  return { system, ports: urls.map(portOf) }
}

describe('greeting start that is killed', () => {
  it('does not prevent the next start in its data folder', async (t) => {
    const dataDir = await temporaryFolder(t)
    const { system, ports } = await killableSystem(t, dataDir)

    await t.test(
      'leaves no running service: all its ports are free within two seconds',
      async () => {
        await system.stop('SIGKILL')
        assert.deepEqual(await portsTakenAfter(2_000, ports), [])
      },
    )

    const { system: next } = await killableSystem(t, dataDir)

    await t.test(
      'a second start in the folder of a running system is refused, and changes nothing',
      async () => {
        const clientEnv = await readFile(next.clientEnvFile, 'utf8')
        const logs = await readdir(next.logFolder)
        const freePorts = ['--api-port', '0', '--identity-port', '0']
        const second = await run('greeting', ['start', '--data-dir', dataDir, ...freePorts])
        assert.deepEqual(second, {
          code: 1,
          out: '',
          err: `Another "greeting start" uses the data folder ${dataDir}.\nStop it, or choose another folder with --data-dir.\n`,
        })
        assert.equal(await readFile(next.clientEnvFile, 'utf8'), clientEnv)
        assert.deepEqual(await readdir(next.logFolder), logs)
        const hi = await run('greeting', ['hi', '--settings', next.clientEnvFile])
        assert.equal(hi.out, 'Hi\n')
      },
    )

    assert.equal(await next.stop(), 0)
  })
})

describe('a service that is started alone', () => {
  it('does not end with the process that started it', async (t) => {
    const dataDir = await temporaryFolder(t)
    const main = join(root, 'services/identity-provider/src/main.ts')
    const shell = spawn('bash', ['-c', `node ${main} & exit`], {
      env: { ...environment, PORT: '0', DATA_DIR: dataDir },
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
    assert.fail('The identity provider did not start.')
  })
})
