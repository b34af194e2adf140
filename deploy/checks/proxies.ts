import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/fixtures/free-port.ts'
import { mustRun } from '../../test/packages/program.ts'
import { proxiedFetch, startRecorder } from '../running/proxy-ends.ts'
import { greet, startSeededSystem } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import type { Check, ProgramName } from './check.ts'

type ProxyRow = {
  readonly name: ProgramName
  /** The files of deploy/proxies. The first one is the argument of the program. */
  readonly files: readonly [string, ...string[]]
  readonly args: (file: string, folder: string) => readonly string[]
  /** What a client gets that sends 2 MB. */
  readonly tooLarge: readonly (number | string)[]
}

const rows: readonly ProxyRow[] = [
  {
    name: 'nginx',
    files: ['nginx.conf'],
    args: (file, folder) => ['-e', 'stderr', '-c', file, '-g', `daemon off; pid ${folder}/pid;`],
    tooLarge: [413],
  },
  { name: 'haproxy', files: ['haproxy.cfg'], args: (file) => ['-db', '-f', file], tooLarge: [413] },
  {
    name: 'caddy',
    files: ['Caddyfile'],
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    // Caddy 2.6 answers 502, and later versions answer 413.
    tooLarge: [413, 502],
  },
  {
    name: 'traefik',
    files: ['traefik.yaml', 'traefik-routes.yaml'],
    args: (file) => ['--configFile', file],
    tooLarge: [413],
  },
  { name: 'envoy', files: ['envoy.yaml'], args: (file) => ['-c', file], tooLarge: [413] },
]

/** One check for each proxy: it runs its file of deploy/proxies before both services. */
export const proxies: readonly Check[] = rows.map((row) => ({
  name: `proxy-${row.name}`,
  programs: [row.name, 'openssl'],
  run: (root) => checkProxy(root, row),
}))

async function checkProxy(root: string, row: ProxyRow): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-proxy-'))
  try {
    writeCertificate(folder)
    return [await checkFields(root, row, folder), await checkGreeting(root, row, folder)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeCertificate(folder: string): void {
  const names = 'subjectAltName=DNS:login.example.com,DNS:api.example.com'
  const subject = ['-subj', '/CN=login.example.com', '-addext', names, '-days', '2']
  const files = ['-keyout', 'key.pem', '-out', 'certificate.pem']
  mustRun(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files],
    folder,
  )
  const bundle = ['certificate.pem', 'key.pem'].map((file) => readFileSync(join(folder, file)))
  writeFileSync(join(folder, 'bundle.pem'), Buffer.concat(bundle))
}

type Ports = { readonly https: number; readonly login: number; readonly api: number }

/** The shipped file with the ports and folders of this check, and no other change. */
function configure(text: string, folder: string, ports: Ports): string {
  return text
    .replaceAll('/etc/greeting/tls', folder)
    .replaceAll('/etc/greeting', folder)
    .replace(/(?<=127\.0\.0\.1:|port_value: )4000\b/g, String(ports.login))
    .replace(/(?<=127\.0\.0\.1:|port_value: )3000\b/g, String(ports.api))
    .replace(/(?<=listen |bind :|":|\.com:|port_value: )443\b/g, String(ports.https))
}

/** Starts the proxy, and resolves when it serves a request of the login host. */
async function startProxy(
  root: string,
  { name, files, args }: ProxyRow,
  folder: string,
  ports: Ports,
) {
  for (const file of files) {
    const text = readFileSync(join(root, 'deploy/proxies', file), 'utf8')
    writeFileSync(join(folder, file), configure(text, folder, ports))
  }
  const env = { PATH: process.env.PATH, HOME: folder }
  const child = spawn(name, args(join(folder, files[0]), folder), {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      output += bytes
    })
  const send = proxiedFetch(ports.https, readFileSync(join(folder, 'certificate.pem'), 'utf8'))
  const stop = async () => {
    send[Symbol.dispose]()
    child.kill('SIGTERM')
    await ended
  }
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await send('https://login.example.com/readyz').catch(() => undefined)
    if (answer?.status === 200) return { send, [Symbol.asyncDispose]: stop }
    if (child.exitCode !== null) break
    await sleep(100)
  }
  await stop()
  throw new Error(`${name} does not serve requests\n${output}`)
}

/** The client is on this machine. Envoy replaces a loopback address by another one of the machine. */
const ownAddresses = new Set(
  Object.values(networkInterfaces()).flatMap((every) => every?.map(({ address }) => address)),
)

/** The fields that a service receives, its connections, and the limit of a body. */
async function checkFields(root: string, row: ProxyRow, folder: string): Promise<string> {
  await using recorder = await startRecorder()
  const ports = { https: await freePort(), login: recorder.port, api: recorder.port }
  await using proxy = await startProxy(root, row, folder, ports)
  const headers = { 'x-forwarded-for': '203.0.113.9', 'client-cert': ':Zm9yZ2Vk:' }
  for (let request = 0; request < 10; request += 1) {
    const answer = await proxy.send('https://login.example.com/recorded', { headers })
    assert.equal(answer.status, 200)
  }
  for (const received of recorder.received) {
    assert.equal(received.host, 'login.example.com')
    const addresses = received['x-forwarded-for']?.toString().split(/, */) ?? []
    assert.ok(ownAddresses.has(addresses.at(-1) ?? ''), `X-Forwarded-For: ${addresses.join()}`)
    assert.ok(!received['client-cert'], 'the client chose Client-Cert')
  }
  assert.ok(
    recorder.connections.size < recorder.received.length,
    'each request has a connection of its own',
  )
  const large = { method: 'POST', body: 'a'.repeat(2_000_000) }
  const { status } = await proxy.send('https://login.example.com/recorded', large)
  assert.ok(row.tooLarge.includes(status), `2 MB: ${status}`)
  const other = await proxy.send('https://other.example.com/recorded').then(
    (answer) => answer.status,
    (error: Error) => error.message,
  )
  assert.ok(typeof other === 'string' || other >= 400, `another host: ${other}`)
  return `10 requests over ${recorder.connections.size} connection(s), X-Forwarded-For ends with the client, no Client-Cert, 2 MB is ${status}`
}

/** A token and a greeting over TLS. */
async function checkGreeting(root: string, row: ProxyRow, folder: string): Promise<string> {
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const origins = {
    identityProvider: 'https://login.example.com',
    api: 'https://api.example.com',
  }
  await using system = await startSeededSystem(sourceLauncher(root, dataDir), dataDir, {
    identityProvider: {
      AUTH_URL: origins.identityProvider,
      ISSUER_URL: origins.identityProvider,
      TRUSTED_PROXIES: '127.0.0.1',
    },
    api: { BASE_URL: origins.api },
  })
  const ports = {
    https: await freePort(),
    login: Number(new URL(system.identityProvider.url).port),
    api: Number(new URL(system.api.url).port),
  }
  await using proxy = await startProxy(root, row, folder, ports)
  assert.equal(await greet(system, origins, proxy.send), 'Hi')
  return 'a token and a greeting over TLS'
}
