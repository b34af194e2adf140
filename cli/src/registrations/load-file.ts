import { randomUUID, X509Certificate } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  callersOf,
  entriesWithoutId,
  parseRegistrations,
  type RegistrationsFile,
  RegistrationsFileError,
  registrationsText,
  writeApplicationIds,
} from '@greeting/registrations'
import type { CertificateToAdd } from '@greeting/registrations/planning'
import { CommandFailure } from '../exit-codes.ts'
import { visibleText } from '../text/visible-text.ts'

/** A registrations file with the certificates that it names. */
export type LoadedFile = {
  readonly path: string
  readonly file: RegistrationsFile
  /** The certificates of the file, by path. */
  readonly certificates: ReadonlyMap<string, CertificateToAdd>
}

/**
 * Reads a registrations file and the certificates that it names.
 *
 * @throws {CommandFailure} bad_usage, with one line for each fault.
 */
export async function loadFile(path: string): Promise<LoadedFile> {
  const file = parsed(path, await read(path))
  const certificates = new Map<string, CertificateToAdd>()
  for (const { certificates: listed = [] } of callersOf(file))
    for (const { displayName, path: place } of listed) {
      const certificate = resolve(dirname(path), place)
      certificates.set(
        place,
        certificateOf(displayName, certificate, String(await read(certificate))),
      )
    }
  return { path, file, certificates }
}

/** The number of applications and agents in a file, including those to be removed. */
export function registrationsIn(file: RegistrationsFile): number {
  const entries = [...file.apis, ...callersOf(file)]
  return new Set([...entries.map(({ displayName }) => displayName), ...file.removed]).size
}

/**
 * Checks that the file is applied to the tenant that it names.
 *
 * @throws {CommandFailure} bad_usage when it is for another tenant.
 */
export function requireTenant({ path, file }: LoadedFile, tenantId: string): void {
  const meant = file.tenant?.id
  if (meant === undefined || meant === tenantId) return
  const message = `${path} is for the tenant ${meant}, but the administrator belongs to ${tenantId}.`
  const remedy = 'Use an administrator of this tenant, or remove tenant.id from the file.'
  throw new CommandFailure('bad_usage', message, { remedy })
}

/**
 * Writes application IDs into the file, atomically.
 *
 * @returns whether the file changed
 * @throws {CommandFailure} failed when the file cannot be written.
 */
export async function writeIds(
  path: string,
  applicationIds: ReadonlyMap<string, string>,
): Promise<boolean> {
  // The file may have changed since it was loaded.
  const bytes = await read(path)
  const file = parsed(path, bytes)
  if (entriesWithoutId(file, applicationIds).length === 0) return false
  const place = await realpath(path)
  const draft = `${place}.${randomUUID()}`
  try {
    const { mode } = await stat(place)
    const edited = writeApplicationIds(registrationsText(bytes), file, applicationIds)
    await writeFile(draft, edited, { flag: 'wx', mode: mode & 0o777, flush: true })
    await rename(draft, place)
    return true
  } catch (cause) {
    await rm(draft, { force: true })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFailure('failed', `Cannot write the IDs to ${path}: ${reason}`, {
      cause,
    })
  }
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = isMissing ? `There is no file ${path}.` : `Cannot read ${path}: ${reason}.`
    throw new CommandFailure('bad_usage', message, { cause })
  }
}

function parsed(path: string, bytes: Uint8Array): RegistrationsFile {
  try {
    return parseRegistrations(bytes)
  } catch (cause) {
    if (!(cause instanceof RegistrationsFileError)) throw cause
    const lines = cause.issues.map(
      (issue) => `  ${visibleText(`${issue.path} ${issue.message}`.trim())}`,
    )
    const message = [`Invalid registrations file ${path}:`, ...lines].join('\n')
    throw new CommandFailure('bad_usage', message, { cause })
  }
}

function certificateOf(displayName: string, path: string, pem: string): CertificateToAdd {
  if (/PRIVATE KEY/.test(pem)) {
    const message = `${path} contains a private key. Only the client may have it.`
    const remedy = 'Use a file with the certificate only.'
    throw new CommandFailure('bad_usage', message, { remedy })
  }
  try {
    const certificate = new X509Certificate(pem)
    return {
      displayName,
      sha1Thumbprint: certificate.fingerprint.replaceAll(':', '').toLowerCase(),
      startDateTime: new Date(certificate.validFrom),
      endDateTime: new Date(certificate.validTo),
      der: certificate.raw.toString('base64'),
    }
  } catch (cause) {
    // UTF-16 as UTF-8: its mark is replaced, and each ASCII character has a NUL.
    const isUtf16 = /^\ufffd\ufffd|^.\0/s.test(pem) ? '. It is UTF-16' : ''
    const message = `${path} is not an X.509 certificate in PEM${isUtf16}`
    throw new CommandFailure('bad_usage', message, { cause })
  }
}
