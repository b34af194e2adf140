import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { type Ended, environment, folderOfClone, run, startSystem } from '../greeting-process.ts'
import { type SharedSystem, sharedSystem } from '../shared-system.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const shell = (line: string, cwd: string): Promise<Ended> => run('bash', ['-c', line], { cwd })

describe('the first run', () => {
  let folder: string
  let system: SharedSystem

  before(async () => {
    system = await sharedSystem()
    folder = system.folder
  })

  const greeting = (...args: string[]) =>
    run('greeting', [...args, '--settings', system.clientEnvFile], { cwd: folder })

  it('prints three lines that work unchanged in a shell', async () => {
    const { token, hi, hello } = system.lines
    const answer = JSON.parse((await shell(token, folder)).out)
    assert.deepEqual(Object.keys(answer), [
      'token_type',
      'expires_in',
      'ext_expires_in',
      'access_token',
    ])
    assert.equal((await shell(hi, folder)).out, 'Hi')
    assert.equal((await shell(hello, folder)).out, 'Hello, Ada')
  })

  it('also serves the greeting API over HTTPS with a certificate of the local authority', async () => {
    const { HTTPS_BASE_URL = '', NODE_EXTRA_CA_CERTS = '' } = system.clientSettings
    assert.equal(HTTPS_BASE_URL, system.api.httpsUrl)
    const line = system.lines.hi.replace(system.api.url, HTTPS_BASE_URL)
    const trusting = line.replace('curl', `curl --cacert ${NODE_EXTRA_CA_CERTS}`)
    assert.equal((await shell(trusting, folder)).out, 'Hi')
    const { code } = await shell(line, folder)
    assert.equal(code, 60, 'curl does not trust the certificate without the authority')
  })

  it('writes the client settings for its owner only', async () => {
    const { mode } = await stat(system.clientEnvFile)
    assert.equal(mode & 0o777, 0o600)
    const names = (await readFile(system.clientEnvFile, 'utf8')).matchAll(/^([A-Z_]+)=/gm)
    const written = [...names].map(([, name]) => name)
    for (const name of [
      'AUTH_URL',
      'TENANT_ID',
      'CLIENT_ID',
      'CLIENT_SECRET',
      'API_APPLICATION_ID',
      'BASE_URL',
    ]) {
      assert.ok(written.includes(name), name)
    }
  })

  it('writes the client secret to no other file and to no output', async () => {
    const secret = /^CLIENT_SECRET=['"]?([^'"\n]+)/m.exec(
      await readFile(system.clientEnvFile, 'utf8'),
    )?.[1]
    assert.ok(secret && secret.length >= 43)
    await shell(system.lines.hi, folder)
    for (const log of await readdir(system.logFolder)) {
      assert.ok(!(await readFile(join(system.logFolder, log), 'utf8')).includes(secret), log)
    }
    assert.ok(!JSON.stringify(system.lines).includes(secret))
    assert.ok(!system.err().includes(secret))
  })

  it('issues a token with every header field and claim of contract C29 to C47', async () => {
    const token = (await greeting('token')).out.trim()
    const { url, tenantId } = system.identityProvider
    const keys = createRemoteJWKSet(new URL(`${url}/${tenantId}/discovery/keys`))
    const { protectedHeader, payload } = await jwtVerify(token, keys, {
      issuer: `${url}/${tenantId}/`,
      audience: `api://${system.api.applicationId}`,
    })
    assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ', 'x5t'])
    assert.equal(protectedHeader.alg, 'RS256')
    assert.equal(protectedHeader.typ, 'JWT')
    assert.equal(protectedHeader.x5t, protectedHeader.kid)
    const { aud, iss, iat = 0, nbf, exp, aio, uti, oid, sub, xms_ftd, ...claims } = payload
    assert.equal(aud, `api://${system.api.applicationId}`)
    assert.equal(iss, `${url}/${tenantId}/`)
    assert.equal(nbf, iat)
    assert.equal(exp, iat + 3900)
    for (const opaque of [aio, uti, xms_ftd]) assert.equal(typeof opaque, 'string')
    assert.match(String(oid), guid)
    assert.equal(sub, oid)
    assert.notEqual(oid, system.client.applicationId)
    const { rh: _, xms_ftd: __, ...contract } = claims
    assert.deepEqual(contract, {
      appid: system.client.applicationId,
      appidacr: '1',
      idp: `${url}/${tenantId}/`,
      roles: ['CallHiApiRole', 'CallHelloApiRole'],
      tid: tenantId,
      ver: '1.0',
    })
  })

  it('accepts HTTPS requests from a program that only knows the settings in client.env', async () => {
    const program = 'console.log((await fetch(process.env.HTTPS_AUTH_URL + "/readyz")).status)'
    const command = `node --input-type=module -e '${program}'`
    const trusting = `set -a; . ${system.clientEnvFile}; ${command}`
    assert.equal((await shell(trusting, folder)).out, '200\n')
    const untrusting = `set -a; . ${system.clientEnvFile}; unset NODE_EXTRA_CA_CERTS; ${command}`
    assert.match((await shell(untrusting, folder)).err, /UNABLE_TO_VERIFY_LEAF_SIGNATURE/)
  })

  it('supports the commands in the tutorial', async () => {
    assert.deepEqual(await greeting('hi'), { code: 0, out: 'Hi\n', err: '' })
    const hello = await greeting('hello', '--name', 'Ada Lovelace')
    assert.deepEqual(hello, { code: 0, out: 'Hello, Ada Lovelace\n', err: '' })
    const decoded = await greeting('token', '--decode')
    assert.equal(decoded.code, 0)
    assert.match(decoded.out, /roles +\["CallHiApiRole","CallHelloApiRole"\]/)
    assert.match(decoded.out, /exp +\d+ .*in \d+ (minutes|hour)/)
  })

  it('names the missing consent of a client, with a command that works when it is pasted', async () => {
    const displayName = 'Job without consent'
    const client = {
      displayName,
      permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }],
      secrets: [{ displayName: 'First', lifetimeDays: 30, overlapDays: 1 }],
    }
    await writeFile(join(folder, 'job.json'), JSON.stringify({ clients: [client] }))
    const applied = await shell(
      'npx --no-install greeting registrations apply job.json --yes',
      folder,
    )
    assert.equal(applied.code, 0, applied.err)
    const settings = '.greeting/secrets/job-without-consent.env'
    const hi = `BASE_URL=${system.api.url} npx --no-install greeting hi --settings ${settings}`
    const refused = await shell(hi, folder)
    assert.deepEqual([refused.code, refused.out], [4, ''])
    const [message, step, last = ''] = refused.err.split('\n')
    assert.match(
      message ?? '',
      /^The client is not allowed .* lacks the application role CallHiApiRole$/,
    )
    assert.equal(step, 'Missing step: Admin consent. CallHiApiRole is requested, but not granted.')
    const doctor = await shell(hi.replace('greeting hi', 'greeting doctor'), folder)
    assert.equal(doctor.code, 4, doctor.err)
    assert.match(
      doctor.out.replaceAll(/\n +/g, '\n'),
      new RegExp(
        [
          'WRONG  roles .*',
          step,
          'Missing step: Permissions. The client does not request CallHelloApiRole.',
          last,
          'See docs/troubleshooting.md#403-or-a-token-without-roles',
        ].join('\n'),
      ),
    )
    assert.match(doctor.out, new RegExp(`WRONG  hi .*\\n +${step}\\n +See docs/`))
    const [, command = ''] =
      /^Show all steps: (npx --no-install greeting registrations explain .*)$/.exec(last) ?? []
    const explained = await shell(command, folder)
    assert.equal(explained.code, 4, explained.err)
    assert.match(
      explained.out,
      /^"Job without consent" gets a token .*Missing step: Admin consent/s,
    )
    const consents = [{ client: displayName, api: 'Greeting API', roles: ['CallHiApiRole'] }]
    await writeFile(join(folder, 'job.json'), JSON.stringify({ clients: [client], consents }))
    const granted = await shell(
      'npx --no-install greeting registrations apply job.json --yes',
      folder,
    )
    assert.equal(granted.code, 0, granted.err)
    assert.deepEqual(await shell(hi, folder), { code: 0, out: 'Hi\n', err: '' })
    assert.equal((await shell(command, folder)).code, 0)
  })

  it('publishes several keys and both discovery documents', async () => {
    const { url, tenantId } = system.identityProvider
    for (const version of ['', '/v2.0']) {
      const document = await (
        await fetch(`${url}/${tenantId}${version}/.well-known/openid-configuration`)
      ).json()
      const { keys } = await (await fetch(document.jwks_uri)).json()
      assert.ok(keys.length >= 2, document.jwks_uri)
      for (const key of keys) assert.equal(key.kid, key.x5t)
    }
  })
})

it('a proxy in the environment receives no request from start, hi and doctor', async (t) => {
  let requests = 0
  const proxy = createServer((_, response) => {
    requests += 1
    response.writeHead(502).end()
  }).on('connect', (_, socket) => {
    requests += 1
    socket.destroy()
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => proxy.close())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const env = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: url,
    http_proxy: url,
  }
  const cwd = folderOfClone()
  const system = await startSystem(join(cwd, '.greeting'), { cwd, env })
  t.after(() => system.stop())
  assert.equal((await run('greeting', ['hi'], { cwd, env })).out, 'Hi\n')
  const { code, out } = await run('greeting', ['doctor'], { cwd, env })
  assert.equal(code, 0, out)
  assert.equal((await run('bash', ['-c', system.lines.hello], { cwd, env })).out, 'Hello, Ada')
  assert.equal(requests, 0)

  await t.test('a request to another machine fails if the proxy closes each tunnel', async () => {
    const lines = [
      'AUTH_URL=https://server.example',
      'TENANT_ID=t',
      'CLIENT_ID=c',
      'CLIENT_SECRET=s',
      'SCOPE=s',
    ]
    await writeFile(join(cwd, 'remote.env'), lines.join('\n'))
    const hi = ['greeting', 'hi', '--settings', 'remote.env', '--deadline', '0.5']
    const ended = await run('timeout', ['-k', '1', '20', ...hi], { cwd, env })
    assert.equal(ended.code, 5, ended.err)
    assert.ok(requests > 0)
  })
})

describe('a failing first run', () => {
  const rows = [
    {
      what: 'an empty data folder',
      makes: [],
      says: /Cannot write to the data folder .*: permission denied\./,
    },
    {
      what: 'a data folder',
      makes: ['logs'],
      says: /start\.lock cannot be locked: permission denied\./,
    },
  ]
  for (const { what, makes, says } of rows)
    it(`reports in two sentences that ${what} is not writable`, async () => {
      const folder = folderOfClone()
      const dataDir = join(folder, 'data')
      await mkdir(dataDir)
      for (const name of makes) await mkdir(join(dataDir, name))
      await chmod(dataDir, 0o500)
      // The superuser can write everywhere, so the command runs without that capability.
      const withoutOverride = [
        'setpriv',
        '--bounding-set=-dac_override',
        '--inh-caps=-dac_override',
      ]
      const user = process.getuid?.() === 0 ? withoutOverride : []
      const ports = ['--api-port', '0', '--identity-port', '0']
      const { HOME: _, ...settings } = environment
      const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
      const command = [...user, 'greeting', 'start', '--data-dir', dataDir, ...ports]
      const { code, err } = await run('env', ['-', ...variables, ...command])
      assert.equal(code, 1, err)
      assert.match(err, says)
      assert.match(err, /\nChoose another folder with --data-dir, or fix this one\.\n$/)
    })
})
