import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { environment, root, run } from '../greeting-process.ts'
import { CiFolder, isRunning } from '../unmodified/ci-job.ts'

/** Runs the identity provider of the clone with the settings of `docker run`: no machine of these tests has an engine. */
const engine = `
import { parseArgs } from 'node:util'
const [command, ...args] = process.argv.slice(2)
if (command === 'run') {
  const many = { type: 'string', multiple: true }
  const options = { rm: { type: 'boolean' }, publish: { type: 'string' }, volume: { type: 'string' }, env: many }
  const { publish, volume, ...given } = parseArgs({ args, options, allowPositionals: true }).values
  const [host, port, inside] = publish.split(':')
  const [source, target, mode] = volume.split(':')
  const settings = Object.fromEntries(given.env.map((text) => {
    const [name, value = process.env[name]] = text.split(/=(.*)/s)
    return [name, value === target && mode === 'ro' ? source : value]
  }))
  const image = JSON.parse(process.env.IMAGE)
  if (inside !== image.PORT || host !== '127.0.0.1') throw new Error('port ' + publish)
  console.log('settings: ' + Object.keys(settings))
  process.execve(process.execPath, [process.execPath, process.env.MAIN], { ...image, ...settings, PORT: port })
}
`

/** The settings in the image. The data folder and the address are those of a machine without containers. */
async function imageSettings(dataDir: string) {
  const text = await readFile(join(root, 'deploy/Containerfile'), 'utf8')
  const rows = [...text.matchAll(/^ENV (.*)$/gm)].map(([, row = '']) => row)
  const settings = Object.assign(
    {},
    ...rows.slice(0, 2).map((row) => parseEnv(row.replaceAll(' ', '\n'))),
  )
  assert.deepEqual([settings.DATA_DIR, settings.HOST], ['/data/greeting', '0.0.0.0'])
  return { ...settings, DATA_DIR: dataDir, HOST: '127.0.0.1' }
}

type Prepared = { readonly folder: CiFolder; readonly start: () => ReturnType<typeof run> }

async function prepare(t: { after(done: () => Promise<void>): void }): Promise<Prepared> {
  const parent = await mkdtemp(join(tmpdir(), 'greeting-ci-'))
  const folder = await CiFolder.copyTo(join(parent, 'ci'), {})
  t.after(async () => {
    await folder[Symbol.asyncDispose]()
    await rm(parent, { recursive: true })
  })
  await mkdir(join(parent, 'engine'))
  await writeFile(join(parent, 'engine/engine.mjs'), engine)
  const docker = `#!/bin/sh\nexec node ${parent}/engine/engine.mjs "$@"\n`
  await writeFile(join(parent, 'engine/docker'), docker, { mode: 0o755 })
  const env = {
    PATH: `${join(parent, 'engine')}:${environment.PATH}`,
    IMAGE: JSON.stringify(await imageSettings(join(parent, 'data'))),
    MAIN: join(root, 'services/identity-provider/src/main.ts'),
  }
  const start = () => run('bash', ['start.sh', '--image', 'an-image'], { cwd: folder.path, env })
  return { folder, start }
}

const settingsIn = async ({ folder }: Prepared) =>
  parseEnv(await readFile(join(folder.path, 'test.env'), 'utf8'))
const pidIn = async ({ folder }: Prepared) =>
  Number(await readFile(join(folder.path, 'identity-provider.pid'), 'utf8'))

describe('examples/ci/start.sh with an image', () => {
  it('uses documented settings, and starts with the IDs and the secret in test.env', async (t) => {
    const prepared = await prepare(t)
    const { code, err } = await prepared.start()
    assert.equal(code, 0, err)
    const log = await readFile(join(prepared.folder.path, 'identity-provider.log'), 'utf8')
    const names = /^settings: (.*)$/m.exec(log)?.[1]?.split(',') ?? []
    const page = await readFile(join(root, 'docs/reference/identity-provider.md'), 'utf8')
    assert.deepEqual(
      names.filter((name) => !page.includes(`| \`${name}\` |`)),
      [],
    )
    // The image listens on all addresses, where a lab needs this setting. This test does not.
    assert.ok(names.includes('LAB_ANY_ADDRESS'))
    const settings = await settingsIn(prepared)
    const tenant = `${settings.AUTH_URL}/${settings.TENANT_ID}`
    const answer = await fetch(`${tenant}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: `${settings.CLIENT_ID}`,
        client_secret: `${settings.CLIENT_SECRET}`,
        scope: `api://${settings.API_APPLICATION_ID}/.default`,
      }),
    })
    const { access_token } = await answer.json()
    const { iss, roles } = JSON.parse(`${Buffer.from(access_token.split('.')[1], 'base64url')}`)
    assert.deepEqual({ iss, roles }, { iss: `${tenant}/`, roles: ['Orders.Read'] })
  })

  it('names the setting for a port that another server uses, and leaves no process', async (t) => {
    const prepared = await prepare(t)
    const { AUTH_URL = '' } = await settingsIn(prepared)
    const other = createServer((_request, response) => response.end()).listen(
      Number(new URL(AUTH_URL).port),
      '127.0.0.1',
    )
    t.after(() => other.close())
    await once(other, 'listening')
    const { code, err } = await prepared.start()
    assert.equal(code, 1)
    assert.match(err, /is taken by another program[\s\S]*AUTH_URL in test\.env has its port\.\n$/)
    assert.equal(isRunning(await pidIn(prepared)), false)
  })

  it('reports a process that has exited, and shows its log', async (t) => {
    const prepared = await prepare(t)
    const file = join(prepared.folder.path, 'test.env')
    await writeFile(file, `${await readFile(file, 'utf8')}CLIENT_SECRET=short\n`)
    const { code, err } = await prepared.start()
    assert.equal(code, 1)
    assert.match(err, /LAB_CLIENT_SECRET has an invalid value[\s\S]*did not start/)
    assert.equal(isRunning(await pidIn(prepared)), false)
  })
})
