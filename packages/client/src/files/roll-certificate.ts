import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { base64url, clientCertificate, decodePem } from '../credentials/client-certificate.ts'
import { ClientError, isClientFailure } from '../errors.ts'
import {
  aFunction,
  anObject,
  nonEmptyString,
  numberBetween,
  required,
  validateOptions,
} from '../option-rules.ts'
import { type Runtime, systemRuntime } from '../runtime.ts'
import { createTokenSource } from '../token/token-source.ts'

/** The options of `rollCertificate`. */
export type RollCertificateOptions = {
  /** URL of the tenant at the authorization server. */
  readonly authority: string
  readonly clientId: string
  /** Object ID of the application, which is not its application ID. */
  readonly objectId: string
  /** URL of Microsoft Graph with its version; default `https://graph.microsoft.com/v1.0`. */
  readonly graphUrl?: string
  /** Path of the certificate and its private key (RSA), as PEM. Its folder must be writable. */
  readonly certificateFile: string
  /** The `keyId` of the first certificate. Without it, this certificate is not removed. */
  readonly keyId?: string
  /** Makes a private key (PKCS #8) and its certificate, as PEM in one text. */
  readonly createCertificate: () => Promise<string>
  /** The days before its end when a certificate is replaced: 1 to 3650, default 30. */
  readonly renewDays?: number
  /** How long the new certificate may take to work, in milliseconds: 1 to 3600000, default 600000. */
  readonly deadlineMs?: number
  /** Replaces clocks, `fetch` or sleep. */
  readonly runtime?: Partial<Runtime>
}

const proofAudience = '00000002-0000-0000-c000-000000000000'
const pauseMs = 5_000
const msPerDay = 86_400_000

/** The lines before the PEM blocks with the IDs of this certificate, and of the one before it. */
const idLines = {
  keyId: /^keyId: ([0-9a-f-]{36})$/m,
  previousKeyId: /^previousKeyId: ([0-9a-f-]{36})$/m,
}

const idIn = (pem: string, name: keyof typeof idLines) => idLines[name].exec(pem)?.[1]

const withIds = (pem: string, ids: Readonly<Record<string, string | undefined>>) =>
  Object.entries(ids)
    .flatMap(([name, id]) => (id === undefined ? [] : `${name}: ${id}\n`))
    .join('') + pem.slice(pem.indexOf('-----BEGIN'))

async function proofOf(pem: string, objectId: string, nowMs: number): Promise<string> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const der = decodePem(pem, 'PRIVATE KEY')
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  const x5t = base64url(await crypto.subtle.digest('SHA-1', decodePem(pem, 'CERTIFICATE')))
  const nbf = Math.floor(nowMs / 1000)
  const signedPart = [
    { alg: 'RS256', typ: 'JWT', x5t },
    { aud: proofAudience, iss: objectId, nbf, exp: nbf + 600 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = await crypto.subtle.sign(algorithm.name, key, Buffer.from(signedPart))
  return `${signedPart}.${base64url(signature)}`
}

/**
 * Replaces the certificate of a client in its file before it ends, without any permission. Call it on a
 * schedule. After a crash, the next call continues.
 *
 * @returns whether the certificate was replaced
 * @throws {TypeError} lists every invalid option
 * @throws {ClientError} when a request is refused, or the new certificate does not work in time
 * @example
 * const daily = () =>
 *   rollCertificate({ authority, clientId, objectId, certificateFile, createCertificate })
 */
export async function rollCertificate(options: RollCertificateOptions): Promise<boolean> {
  validateOptions('rollCertificate', options, {
    authority: required(nonEmptyString),
    clientId: required(nonEmptyString),
    objectId: required(nonEmptyString),
    graphUrl: nonEmptyString,
    certificateFile: required(nonEmptyString),
    keyId: nonEmptyString,
    createCertificate: required(aFunction),
    renewDays: numberBetween(1, 3650),
    deadlineMs: numberBetween(1, 3_600_000),
    runtime: anObject,
  })
  const { authority, clientId, objectId, certificateFile, createCertificate } = options
  const { graphUrl = 'https://graph.microsoft.com/v1.0', renewDays = 30 } = options
  const runtime = { ...systemRuntime, ...options.runtime }
  const scope = `${new URL(graphUrl).origin}/.default`

  const tokenWith = async (pem: string) => {
    const credential = await clientCertificate({ privateKey: pem, certificate: pem })
    return createTokenSource({ authority, clientId, credential, scope, runtime }).token()
  }
  const works = (pem: string) =>
    tokenWith(pem).then(
      () => true,
      (error: unknown) => {
        if (isClientFailure(error) && error.code === 'credential_refused') return false
        throw error
      },
    )
  async function send(pem: string, action: 'addKey' | 'removeKey', body: object) {
    const proof = await proofOf(pem, objectId, runtime.wallClockMs())
    return runtime.fetch(`${graphUrl}/applications/${objectId}/${action}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokenWith(pem)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...body, proof }),
      redirect: 'error',
      signal: runtime.timeoutSignal(30_000),
    })
  }
  const refused = (action: string, { status }: Response) =>
    new ClientError('request_refused', `Microsoft Graph refused ${action} with ${status}`, {
      status,
    })

  /** Removes the certificate before this one. A certificate that is not there is removed already. */
  async function removePrevious(pem: string) {
    const keyId = idIn(pem, 'previousKeyId')
    if (keyId === undefined) return
    const response = await send(pem, 'removeKey', { keyId })
    if (!response.ok && response.status !== 400) throw refused('removeKey', response)
    await replace(certificateFile, withIds(pem, { keyId: idIn(pem, 'keyId') }))
  }

  const current = await readFile(certificateFile, 'utf8')
  const nextFile = `${certificateFile}.next`
  let next = await readFile(nextFile, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (next === undefined) {
    await removePrevious(current)
    const { X509Certificate } = await import('node:crypto')
    const endMs = Date.parse(new X509Certificate(current).validTo)
    if (endMs - runtime.wallClockMs() > renewDays * msPerDay) return false
    const previousKeyId = idIn(current, 'keyId') ?? options.keyId
    next = withIds(await createCertificate(), { previousKeyId })
    // Kept before it is registered, so that its key is not lost.
    await create(nextFile, next)
  }
  if (!(await works(next))) {
    const key = Buffer.from(decodePem(next, 'CERTIFICATE')).toString('base64')
    const keyCredential = { type: 'AsymmetricX509Cert', usage: 'Verify', key }
    const response = await send(current, 'addKey', { keyCredential, passwordCredential: null })
    // 400 also means that an earlier call added it, and that it does not work yet.
    if (!response.ok && response.status !== 400) throw refused('addKey', response)
    const { keyId } = response.ok ? ((await response.json()) as { keyId?: string }) : {}
    if (keyId !== undefined) {
      next = withIds(next, { keyId, previousKeyId: idIn(next, 'previousKeyId') })
      await replace(nextFile, next)
    }
    const endMs = runtime.monotonicMs() + (options.deadlineMs ?? 600_000)
    while (!(await works(next))) {
      if (runtime.monotonicMs() + pauseMs > endMs) throw refused('addKey', response)
      await runtime.sleep(pauseMs)
    }
  }
  await rename(nextFile, certificateFile)
  await removePrevious(next)
  return true
}

/** Writes a whole file, which only the owner reads, and puts it in its place in one step. */
async function staged(file: string, text: string, place: typeof rename): Promise<void> {
  const stagedFile = `${file}.${crypto.randomUUID()}`
  try {
    await writeFile(stagedFile, text, { mode: 0o600, flag: 'wx' })
    await place(stagedFile, file)
  } finally {
    await rm(stagedFile, { force: true })
  }
}

const replace = (file: string, text: string) => staged(file, text, rename)
/** Two calls at a time create one file: the other fails. */
const create = (file: string, text: string) => staged(file, text, link)
