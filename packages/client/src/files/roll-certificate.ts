import { link, readFile, rename, rm } from 'node:fs/promises'
import { accepted, readAnswer } from '../call/api-answer.ts'
import {
  base64url,
  clientCertificate,
  decodePem,
  importKey,
  signedAuthentication,
} from '../credentials/client-certificate.ts'
import { type ClientError, type ClientErrorCode, isClientFailure } from '../errors.ts'
import { secureUrl } from '../http/secure-url.ts'
import {
  aFunction,
  anObject,
  nonEmptyString,
  numberBetween,
  required,
  validateOptions,
} from '../option-rules.ts'
import { withoutSecrets } from '../redaction.ts'
import { type Runtime, systemRuntime } from '../runtime.ts'
import { createTokenSource } from '../token/token-source.ts'
import { replaceFile } from './replace-file.ts'
import { readPemFile } from './text-file.ts'

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
const maxAnswerBytes = 65_536
const msPerDay = 86_400_000

/** A line before the PEM blocks has the ID of this certificate, or of the one before it. */
const idIn = (pem: string, name: 'keyId' | 'previousKeyId') =>
  pem
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(`${name}: `.length)

const withIds = (pem: string, ids: Readonly<Record<string, string | undefined>>) =>
  Object.entries(ids)
    .flatMap(([name, id]) => (id === undefined ? [] : `${name}: ${id}\n`))
    .join('') + pem.slice(pem.indexOf('-----BEGIN'))

async function proofOf(pem: string, objectId: string, nowMs: number): Promise<string> {
  const key = await importKey(pem, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' })
  const x5t = base64url(await crypto.subtle.digest('SHA-1', decodePem(pem, 'CERTIFICATE')))
  const now = Math.floor(nowMs / 1000)
  const { authenticate } = signedAuthentication(key, x5t, { x5t }, proofAudience, now)
  const form = new URLSearchParams()
  await authenticate({ issuer: proofAudience }, { client_id: objectId }, form, new Headers())
  return form.get('client_assertion') ?? ''
}

/** Returns the failure with this code. Other errors are thrown. */
const failureOf =
  <Code extends ClientErrorCode>(code: Code) =>
  (error: unknown) => {
    if (isClientFailure(error) && error.code === code) return error as ClientError<Code>
    throw error
  }

/**
 * Replaces the client's certificate in its file before it expires. It needs no management role.
 * Call it on a schedule: after a crash, the next call continues.
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
    graphUrl: secureUrl,
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

  const tokenWith = async (pem: string) => {
    const credential = await clientCertificate({ privateKey: pem, certificate: pem })
    const scope = `${new URL(graphUrl).origin}/.default`
    return createTokenSource({ authority, clientId, credential, scope, runtime }).token()
  }
  const faultOf = (pem: string) =>
    tokenWith(pem).then(() => undefined, failureOf('credential_refused'))
  async function send(pem: string, action: 'addKey' | 'removeKey', body: object) {
    const url = `${graphUrl}/applications/${objectId}/${action}`
    const token = await tokenWith(pem)
    const proof = await proofOf(pem, objectId, runtime.wallClockMs())
    const response = await runtime.fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, proof }),
      redirect: 'manual',
      signal: runtime.timeoutSignal(30_000),
    })
    const clean = (text: string) => withoutSecrets(text, [token, proof])
    const answer = await readAnswer(maxAnswerBytes)(response, clean, `POST ${url}`)
    return accepted(answer).body
  }
  /** Removes the certificate before this one. A certificate that is not there is removed already. */
  async function removePrevious(pem: string) {
    const keyId = idIn(pem, 'previousKeyId')
    if (keyId === undefined) return
    await send(pem, 'removeKey', { keyId }).catch((error: unknown) => {
      if (failureOf('request_refused')(error).details.status !== 400) throw error
    })
    await replaceFile(certificateFile, withIds(pem, { keyId: idIn(pem, 'keyId') }))
  }

  const current = await readPemFile(certificateFile)
  const nextFile = `${certificateFile}.next`
  let next = await readFile(nextFile, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const isNew = next === ''
  if (isNew) {
    await removePrevious(current)
    const { X509Certificate } = await import('node:crypto')
    const endMs = Date.parse(new X509Certificate(current).validTo)
    if (endMs - runtime.wallClockMs() > renewDays * msPerDay) return false
    const previousKeyId = idIn(current, 'keyId') ?? options.keyId
    next = withIds(await createCertificate(), { previousKeyId })
    await clientCertificate({ privateKey: next, certificate: next })
    // Kept before it is registered, so that its key is not lost.
    await replaceFile(nextFile, next, link)
  }
  if (isNew || (await faultOf(next))) {
    const key = Buffer.from(decodePem(next, 'CERTIFICATE')).toString('base64')
    const keyCredential = { type: 'AsymmetricX509Cert', usage: 'Verify', key }
    let refusal: unknown
    const answer = await send(current, 'addKey', { keyCredential, passwordCredential: null }).catch(
      async (error: unknown) => {
        refusal = error
        const { graphError, status } = failureOf('request_refused')(error).details
        // An earlier call may have added it, and it does not work yet.
        if (!isNew && graphError === 'Request_BadRequest') return '{}'
        // The next call makes another one, which a policy may permit.
        if (status === 400) await rm(nextFile)
        throw error
      },
    )
    const { keyId = idIn(next, 'keyId') } = JSON.parse(answer)
    next = withIds(next, { keyId, previousKeyId: idIn(next, 'previousKeyId') })
    await replaceFile(nextFile, next)
    const endMs = runtime.monotonicMs() + (options.deadlineMs ?? 600_000)
    for (let fault = await faultOf(next); fault; fault = await faultOf(next)) {
      if (runtime.monotonicMs() + pauseMs > endMs) throw refusal ?? fault
      await runtime.sleep(pauseMs)
    }
  }
  await rename(nextFile, certificateFile)
  await removePrevious(next)
  return true
}
