// The job before an installation or upgrade. It starts the identity provider once, which migrates the
// store and creates the first administrator, and writes the secrets of that start into Secrets. The chart
// creates these empty, and the job may only replace them: it can read none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const {
  ADMINISTRATOR_SECRET: administratorSecret,
  CLIENTS_SECRET: clientsSecret,
  DATA_DIR: dataDir = '/data/greeting',
  // The three variables below have other values in a test only.
  MAIN: main = '/app/lib/main.js',
  SERVICE_ACCOUNT: account = '/var/run/secrets/kubernetes.io/serviceaccount',
  KUBERNETES_API: api = 'https://kubernetes.default.svc',
} = process.env
const secretOfFile = { 'administrator.env': administratorSecret, 'seeded.json': clientsSecret }
const attempts = 20
const pauseMs = Number(process.env.PAUSE_MS ?? 3000)
const timeoutMs = 10_000

const say = (text) => process.stderr.write(`bootstrap: ${text}\n`)
const inAccount = (name) => readFileSync(join(account, name), 'utf8').trim()
const namespace = inAccount('namespace')
const secrets = `${api}/api/v1/namespaces/${namespace}/secrets`

/**
 * Replaces the content of a Secret, and returns the status. The token is read each time, because the
 * cluster rotates it.
 */
async function replaceSecret(name, stringData, query = '') {
  const metadata = { name, labels: { 'app.kubernetes.io/part-of': 'greeting' } }
  const answer = await fetch(`${secrets}/${name}${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${inAccount('token')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await answer.arrayBuffer()
  return answer.status
}

async function replaceSecretWithRetries(name, stringData) {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const status = await replaceSecret(name, stringData).catch(
      (error) => error.cause?.code ?? error.message,
    )
    if (status === 200) return
    say(`attempt ${attempt} of ${attempts}: the Secret ${name} was not written (${status})`)
    await sleep(pauseMs)
  }
  throw new Error(
    `the Secret ${name} was not written. Correct the rights, and set identityProvider.bootstrap.newAdministrator=true.`,
  )
}

/** The files that this start created, because its store was empty or a new administrator was wanted. */
const newFiles = () => Object.keys(secretOfFile).filter((name) => existsSync(join(dataDir, name)))

/** Without their values, the server would use an empty store of its own. */
const requiredSettings = ['DATABASE_URL', 'KEY_ENCRYPTION_KEY']

async function run() {
  // Of this process only: NODE_EXTRA_CA_CERTS belongs to the service.
  setDefaultCACertificates([...getCACertificates(), inAccount('ca.crt')])
  const missing = requiredSettings.filter((name) => !process.env[name])
  if (missing.length > 0)
    throw new Error(`the Secret has an empty value for ${missing.join(' and ')}`)
  // Before the administrator exists, because its secret can be read only once.
  const rehearsal = await replaceSecret(administratorSecret, {}, '?dryRun=All')
  if (rehearsal !== 200)
    throw new Error(`the job cannot write the Secret ${administratorSecret}: status ${rehearsal}`)
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let isListening = false
  for await (const line of createInterface(child.stdout)) {
    process.stdout.write(`${line}\n`)
    if (isListening || JSON.parse(line).msg !== 'listening') continue
    isListening = true
    const files = newFiles()
    try {
      for (const file of files)
        await replaceSecretWithRetries(secretOfFile[file], {
          [file]: readFileSync(join(dataDir, file), 'utf8'),
        })
      if (files.length === 0)
        say(`the store has an administrator: the Secret ${administratorSecret} stays as it is`)
    } finally {
      child.kill('SIGTERM')
    }
  }
  const [code] = await ended
  return isListening ? (code ?? 1) : code || 1
}

try {
  process.exitCode = await run()
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
