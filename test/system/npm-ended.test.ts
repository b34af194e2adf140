import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { environment, folderOfClone, pathWithNpm, root } from './greeting-process.ts'

const free = { HOST: '127.0.0.1', PORT: '0', HTTPS_PORT: '0' }
const system = ['--api-port', '0', '--identity-port', '0', '--json', '--data-dir']

type Row = {
  readonly command: (dataDir: string) => readonly [string, ...string[]]
  readonly settings?: NodeJS.ProcessEnv
  readonly signals: readonly NodeJS.Signals[]
}

// npm forwards SIGTERM and SIGINT in the same way, so each program gets one of them.
const rows: Row[] = [
  {
    // restart.test.ts sends it SIGTERM.
    command: (dataDir) => ['npm', 'start', '--silent', '--', ...system, dataDir],
    signals: ['SIGKILL'],
  },
  {
    command: (dataDir) => ['npx', 'greeting', 'start', ...system, dataDir],
    signals: ['SIGTERM'],
  },
  {
    command: () => ['npm', 'start', '--silent', '-w', 'services/identity-provider'],
    settings: free,
    signals: ['SIGINT'],
  },
]

/** The first address that a program prints. */
async function printedUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('The process has no output.')
  for await (const line of createInterface(stdout)) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (url === undefined) continue
    stdout.resume()
    return url
  }
  throw new Error('The program printed no address.')
}

/** Whether the address still answers after `waitMs` milliseconds. */
async function stillAnswers(url: string, waitMs: number): Promise<boolean> {
  const endMs = performance.now() + waitMs
  while (performance.now() < endMs) {
    if (!(await answers(url))) return false
    await sleep(50)
  }
  return answers(url)
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).text()
    return true
  } catch {
    return false
  }
}

// All tests share a folder, because a start with data is faster. Each test ends its processes.
const folder = folderOfClone()

/** A program of npm in its own process group, so that the test can end all its processes. */
async function started(t: TestContext, { command, settings }: Row) {
  const dataDir = join(folder, settings === undefined ? 'system' : 'identity-provider')
  const [program, ...args] = command(dataDir)
  const child = spawn(program, args, {
    cwd: root,
    env: { ...environment, PATH: pathWithNpm, DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  t.after(() => endGroup(child))
  return { child, url: `${await printedUrl(child)}/healthz` }
}

function endGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // All processes have ended, as expected.
  }
}

describe('a signal to npm only', () => {
  for (const row of rows)
    for (const signal of row.signals)
      it(`${signal} to ${row.command('data').join(' ')} leaves no process and no port in use`, async (t) => {
        const { child, url } = await started(t, row)
        assert.equal(await answers(url), true)
        child.kill(signal)
        assert.equal(await stillAnswers(url, 5_000), false)
        // The output closes when the last process that has inherited it ends.
        const closed = once(child, 'close')
        if (child.stdout?.closed) return
        assert.notEqual(await Promise.race([closed, sleep(5_000, 'open', { ref: false })]), 'open')
      })
})

describe('Ctrl-C', () => {
  // Not npx: its shell ends by the signal, and not with the exit code of its command.
  for (const row of rows.filter(({ command }) => command('')[0] === 'npm'))
    it(`stops ${row.command('data').join(' ')} with exit code 0, although npm also forwards the signal`, async (t) => {
      const { child, url } = await started(t, row)
      let printed = ''
      child.stdout?.on('data', (text) => {
        printed += text
      })
      process.kill(-(child.pid ?? 0), 'SIGINT')
      const [code] = await once(child, 'close')
      assert.equal(await answers(url), false)
      assert.equal(code, 0, printed)
    })
})
