// The job before an installation or upgrade. It starts the identity provider once, which migrates the
// store and creates the first administrator, and writes the secrets of that start into a Secret.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const {
  ADMINISTRATOR_SECRET: secretName,
  DATA_DIR: dataDir = '/data/greeting',
  // The three variables below have other values in a test only.
  MAIN: main = '/app/lib/main.js',
  SERVICE_ACCOUNT: account = '/var/run/secrets/kubernetes.io/serviceaccount',
  KUBERNETES_API: api = 'https://kubernetes.default.svc',
} = process.env
const files = ['administrator.env', 'seeded.json']
const attempts = 20
const pauseMs = Number(process.env.PAUSE_MS ?? 3000)
const timeoutMs = 10_000

const say = (text) => process.stderr.write(`bootstrap: ${text}\n`)
const inAccount = (name) => readFileSync(join(account, name), 'utf8').trim()
const namespace = inAccount('namespace')
const secrets = `${api}/api/v1/namespaces/${namespace}/secrets`

/** Sends a Secret, and returns the status. The token is read each time, because the cluster rotates it. */
async function send(method, url, stringData, type = 'application/json') {
  const metadata = { name: secretName, labels: { 'app.kubernetes.io/part-of': 'greeting' } }
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${inAccount('token')}`, 'content-type': type },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await answer.arrayBuffer()
  return answer.status
}

const isWritten = (status) => status === 200 || status === 201

/** Creates the Secret, or replaces the values of an existing one. */
async function writeSecret(stringData) {
  const created = await send('POST', secrets, stringData)
  if (created !== 409) return created
  return send('PATCH', `${secrets}/${secretName}`, stringData, 'application/merge-patch+json')
}

async function writeSecretWithRetries(stringData) {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const status = await writeSecret(stringData).catch(
      (error) => error.cause?.code ?? error.message,
    )
    if (isWritten(status)) return
    say(`attempt ${attempt} of ${attempts}: the Secret ${secretName} was not written (${status})`)
    await sleep(pauseMs)
  }
  throw new Error(
    `the Secret ${secretName} was not written. Correct the rights, and set identityProvider.bootstrap.newAdministrator=true.`,
  )
}

/** The secrets of this start. They exist only when this start created them. */
const newSecrets = () =>
  Object.fromEntries(
    files
      .filter((name) => existsSync(join(dataDir, name)))
      .map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]),
  )

/** Without their values, the server would use an empty store of its own. */
const requiredSettings = ['DATABASE_URL', 'KEY_ENCRYPTION_KEY']

async function run() {
  const missing = requiredSettings.filter((name) => !process.env[name])
  if (missing.length > 0)
    throw new Error(`the Secret has an empty value for ${missing.join(' and ')}`)
  // Before the administrator exists, because its secret can be read only once.
  const rehearsal = await send('POST', `${secrets}?dryRun=All`, {})
  if (!isWritten(rehearsal) && rehearsal !== 409)
    throw new Error(`the job may not create the Secret ${secretName}: status ${rehearsal}`)
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let isListening = false
  for await (const line of createInterface(child.stdout)) {
    process.stdout.write(`${line}\n`)
    if (isListening || JSON.parse(line).msg !== 'listening') continue
    isListening = true
    const secretsOfStart = newSecrets()
    try {
      if (Object.keys(secretsOfStart).length > 0) await writeSecretWithRetries(secretsOfStart)
      else if (rehearsal !== 409)
        say(`the store has an administrator, but there is no Secret ${secretName}`)
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
