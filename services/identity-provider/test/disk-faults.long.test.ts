import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, cp, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { openLocalStorage } from '../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { startHere } from './provider-here.ts'
import {
  failToStart,
  type ProviderProcess,
  requestToken,
  startProvider,
} from './provider-process.ts'

const run = promisify(execFile)

const blockBytes = 512
const longestRefusalMs = 2000
const longestRecoveryMs = 10_000

/** The system lets the process write no file beyond this size: what a full disk is to a file. */
const withRoomFor = (bytes: number) => [
  ...['sh', '-c', `ulimit -S -f ${Math.ceil(bytes / blockBytes)} && exec "$@"`, 'sh'],
]
/** The superuser may write everywhere, so one tries who gave that right away. */
const asAnybody =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override']
    : []

/** A data folder after the first start. */
const seededDir = freshFolder()

before(async () => {
  const provider = await startHere({ DATA_DIR: seededDir, HTTPS_PORT: 'off' })
  await provider.stop()
})

async function seededCopy() {
  const dataDir = freshFolder()
  await cp(seededDir, dataDir, { recursive: true })
  return { dataDir, file: join(dataDir, 'greeting.sqlite') }
}

/** Registers an application by each call: the status, what was said, and how long it took. */
async function registrar({ url }: ProviderProcess, dataDir: string) {
  const { TENANT_ID, CLIENT_ID, CLIENT_SECRET } = parseEnv(
    await readFile(join(dataDir, 'administrator.env'), 'utf8'),
  )
  const response = await fetch(`${url}/${TENANT_ID}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID ?? '',
      client_secret: CLIENT_SECRET ?? '',
      scope: 'https://graph.microsoft.com/.default',
    }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return async (displayName: string) => {
    const startedAt = performance.now()
    const response = await fetch(`${url}/v1.0/applications`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ displayName }),
    })
    const body = (await response.json()) as { error?: { code: string } }
    const retryAfter = response.headers.get('retry-after')
    const tookMs = performance.now() - startedAt
    return { status: response.status, code: body.error?.code, retryAfter, tookMs }
  }
}

describe('a disk that fills up while the server works (FL17)', () => {
  it('refuses changes but issues tokens, keeps acknowledged changes, and recovers without help', async (t) => {
    const { dataDir, file } = await seededCopy()
    const within = withRoomFor((await stat(file)).size + 100_000)
    const provider = await startProvider({ DATA_DIR: dataDir, HTTPS_PORT: 'off' }, { within })
    t.after(() => provider.end('SIGKILL'))
    const register = await registrar(provider, dataDir)
    const acknowledged: string[] = []
    let [issued, refused] = [1, 0]
    for (let index = 0; refused < 10; index += 1) {
      const [token, answer] = await Promise.all([
        requestToken(provider.url, dataDir),
        register(`application ${index}`),
      ])
      assert.equal(token.status, 200)
      issued += 1
      if (answer.status === 201) acknowledged.push(`application ${index}`)
      else {
        assert.deepEqual([answer.status, answer.code], [503, 'ServiceUnavailable'])
        assert.equal(answer.retryAfter, '1')
        assert.ok(answer.tookMs < longestRefusalMs, `${answer.tookMs} ms`)
        refused += 1
      }
      assert.ok(index < 200, 'the disk does not fill up')
    }
    assert.ok(acknowledged.length > 0)
    assert.equal((await fetch(`${provider.url}/readyz`)).status, 200)

    // An operator makes room: the log, which has grown, is brought into the file and emptied.
    const helper = new DatabaseSync(file)
    helper.exec('pragma busy_timeout = 2000; pragma wal_checkpoint(truncate)')
    helper.close()
    const freedAt = performance.now()
    while ((await register('after')).status !== 201)
      assert.ok(performance.now() - freedAt < longestRecoveryMs)
    acknowledged.push('after')

    assert.equal(await provider.end('SIGTERM'), 0)
    const storage = await openLocalStorage({ dataDir })
    const { changes = [] } = await storage.directory.changesAfter()
    const names = changes.flatMap(({ kind, value }) =>
      kind === 'application' && value !== null && 'displayName' in value ? [value.displayName] : [],
    )
    const held = names.filter((name) => /^(application \d+|after)$/.test(name))
    assert.deepEqual(held.toSorted(), acknowledged.toSorted())
    const tokens = { log: 'signIns', action: 'token.issue', outcome: 'done', limit: 1000 } as const
    assert.equal((await storage.audit.find(tokens)).records.length, issued)
    await storage.close()
  })
})

describe('a disk that is full when the server starts (FL17)', () => {
  // Each file may have the size that it has. A server that was killed leaves its log and the index of it.
  const ends: Readonly<Record<string, () => Promise<Awaited<ReturnType<typeof seededCopy>>>>> = {
    'was stopped': seededCopy,
    'was killed': async () => {
      const { dataDir } = await seededCopy()
      const provider = await startProvider({ DATA_DIR: dataDir, HTTPS_PORT: 'off' })
      const register = await registrar(provider, dataDir)
      assert.equal((await register('before')).status, 201)
      await provider.end('SIGKILL')
      return { dataDir, file: join(dataDir, 'greeting.sqlite') }
    },
  }
  for (const [end, prepare] of Object.entries(ends))
    it(`lets a server that ${end} issue tokens, and blocks changes until there is space`, async (t) => {
      const { dataDir, file } = await prepare()
      const sizes = ['-wal', '-shm'].map((part) =>
        stat(file + part).then(
          ({ size }) => size,
          () => 0,
        ),
      )
      const within = withRoomFor(Math.max(4096, ...(await Promise.all(sizes))))
      const provider = await startProvider({ DATA_DIR: dataDir, HTTPS_PORT: 'off' }, { within })
      t.after(() => provider.end('SIGKILL'))
      assert.equal((await requestToken(provider.url, dataDir)).status, 200)
      assert.equal((await fetch(`${provider.url}/readyz`)).status, 200)
      const register = await registrar(provider, dataDir)
      const { status, retryAfter } = await register('refused')
      assert.deepEqual([status, retryAfter], [503, '1'])

      await run('prlimit', ['--pid', String(provider.pid), '--fsize=unlimited:'])
      const freedAt = performance.now()
      while ((await register('after')).status !== 201)
        assert.ok(performance.now() - freedAt < longestRecoveryMs)
      assert.equal(await provider.end('SIGTERM'), 0)
      const storage = await openLocalStorage({ dataDir })
      const { changes = [] } = await storage.directory.changesAfter()
      const names = changes.flatMap(({ value }) =>
        value !== null && 'displayName' in value ? [value.displayName] : [],
      )
      assert.ok(names.includes('after') && !names.includes('refused'))
      assert.equal(names.includes('before'), end === 'was killed')
      await storage.close()
    })

  it('stops a server without a store at its first start, with a one-sentence error', async () => {
    const dataDir = freshFolder()
    const { code, stderr } = await failToStart(
      { DATA_DIR: dataDir, HTTPS_PORT: 'off' },
      { within: withRoomFor(4096) },
    )
    assert.equal(code, 1, stderr)
    assert.match(stderr, /^The identity provider cannot start: [^\n]+ the disk is full\.\n$/)
  })
})

describe('a disk that cannot be written when the server starts (FL17, FL18)', () => {
  type Harm = (copy: Awaited<ReturnType<typeof seededCopy>>) => Promise<readonly string[]>
  const faults: Readonly<Record<string, readonly [Harm, RegExp]>> = {
    'keeps the file from being written': [
      async ({ file }) => {
        await chmod(file, 0o400)
        return asAnybody
      },
      /greeting\.sqlite may not be written to/,
    ],
    'keeps the folder from being written': [
      async ({ dataDir }) => {
        await chmod(dataDir, 0o500)
        return asAnybody
      },
      /greeting\.sqlite (may not be written to|cannot be opened)|this user may not use/,
    ],
  }
  for (const [what, [harm, sentence]] of Object.entries(faults))
    it(`${what}: the server reports it in one sentence, loses nothing, and starts after the repair`, async () => {
      const { dataDir, file } = await seededCopy()
      const before = await readFile(file)
      const within = await harm({ dataDir, file })
      const { code, stderr } = await failToStart(
        { DATA_DIR: dataDir, HTTPS_PORT: 'off' },
        { within },
      )
      await chmod(dataDir, 0o700)
      await chmod(file, 0o600)
      assert.equal(code, 1, stderr)
      assert.match(stderr, /^The identity provider cannot start: [^\n]+\.\n$/)
      assert.match(stderr, sentence)
      assert.deepEqual(await readFile(file), before)
      const provider = await startHere({ DATA_DIR: dataDir, HTTPS_PORT: 'off' })
      assert.equal((await requestToken(provider.url, dataDir)).status, 200)
      await provider.stop()
    })
})
