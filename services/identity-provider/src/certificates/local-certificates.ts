import { X509Certificate } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  makeFolder,
  readIfThere,
  readPrivateFile,
  replaceSecretFile,
  unless,
} from '@greeting/directory/files'
import { constrainsTo } from './certificate.ts'
import { createAuthority, issueServerCertificate } from './certificate-authority.ts'
import {
  type Identity,
  isGoodFor,
  isOfEarlierRelease,
  validityFault,
} from './certificate-checks.ts'

/** The local certificates are unusable. The message is one sentence for the operator. */
class CertificatesError extends Error {
  readonly code = 'certificates_unusable'
  override readonly name = 'CertificatesError'
}

export type LocalCertificatesOptions = {
  /** Folder of the files `authority.pem`, `authority.key`, `server.pem` and `server.key`. */
  readonly folder: string
  /** Host names and addresses of the server. */
  readonly names: readonly string[]
  readonly now: () => Date
  /**
   * Called with the reason when the authority was replaced. Clients must then trust the new one.
   */
  readonly onAuthorityReplaced?: (reason: string) => void
}

/**
 * The local certificate authority of one data folder, and the server certificate, which it renews.
 *
 * The authority is kept as long as possible, because users configured their systems to trust it. It
 * is replaced near its end, and when its name constraints do not match the names of the server. The
 * server certificate is renewed whenever necessary. At the start the clock may be wrong, so an authority
 * near its end is replaced by `renew` only.
 */
export class LocalCertificates {
  readonly #options: LocalCertificatesOptions
  #authority: Identity
  #server: Identity

  private constructor(options: LocalCertificatesOptions, authority: Identity, server: Identity) {
    this.#options = options
    this.#authority = authority
    this.#server = server
  }

  /**
   * Reads the certificates, and creates those that are missing or about to end.
   *
   * @throws {CertificatesError} certificates_unusable when the authority is damaged or incomplete,
   * or
   * other users own its key or may read it. Nothing is overwritten then.
   */
  static async open(options: LocalCertificatesOptions): Promise<LocalCertificates> {
    await makeFolder(options.folder)
    const authority = await openAuthority(options, { endsByClock: false })
    const server = await openServer(options, authority)
    return new LocalCertificates(options, authority, server)
  }

  /** The certificate of the authority, for clients to trust. */
  get authorityFile(): string {
    return join(this.#options.folder, 'authority.pem')
  }

  get server(): Identity {
    return this.#server
  }

  /** Renews certificates that end soon, by a time that is right. Returns whether the server has a new one. */
  async renew(): Promise<boolean> {
    const before = this.#server
    this.#authority = await openAuthority(this.#options, { endsByClock: true })
    this.#server = await openServer(this.#options, this.#authority)
    return this.#server.certificate !== before.certificate
  }
}

async function openAuthority(
  options: LocalCertificatesOptions,
  { endsByClock }: { readonly endsByClock: boolean },
): Promise<Identity> {
  const { folder, names, now, onAuthorityReplaced } = options
  const [certificateFile, keyFile] = [join(folder, 'authority.pem'), join(folder, 'authority.key')]
  const certificate = await readIfThere(certificateFile)
  const key = await readPrivateFile(keyFile).catch(unless('ENOENT'))
  if (certificate === undefined && key === undefined) {
    const authority = await createAuthority(names, now())
    // Write the key first: no client trusts it before the certificate exists.
    await replaceSecretFile(keyFile, authority.key)
    await replaceSecretFile(certificateFile, authority.certificate)
    return authority
  }
  // A crash between the two files left a key that no client trusts.
  if (certificate === undefined) {
    await rm(keyFile)
    return openAuthority(options, { endsByClock })
  }
  if (key === undefined)
    throw new CertificatesError(
      `the key ${keyFile} of the certificate authority is missing: restore it, or remove the folder ${folder} and trust a new authority`,
    )
  if (key.exposure !== undefined)
    throw new CertificatesError(`the key ${keyFile} of the certificate authority ${key.exposure}`)
  const authority = { certificate, key: key.text }
  const fault =
    (endsByClock ? validityFaultOf(authority, options) : undefined) ??
    (await faultOf(authority, options))
  if (fault === undefined) return authority
  // The key of the old authority is deleted. Its certificate stays, so that users can find and
  // distrust it.
  await rename(certificateFile, join(folder, 'authority.previous.pem'))
  onAuthorityReplaced?.(fault)
  return openAuthority(options, { endsByClock })
}

function validityFaultOf(authority: Identity, { folder, now }: LocalCertificatesOptions) {
  try {
    return validityFault(authority, now())
  } catch (cause) {
    throw damaged(folder, cause)
  }
}

async function faultOf(authority: Identity, options: LocalCertificatesOptions) {
  const { folder, names } = options
  try {
    // The constraints were checked when the authority signed the certificate for the same names.
    const isChecked = !isOfEarlierRelease(authority) && (await goodServer(options, authority))
    if (isChecked) return undefined
    const isConstrained = constrainsTo(new X509Certificate(authority.certificate), names)
    return isConstrained ? undefined : 'its name constraints were not the names of this server'
  } catch (cause) {
    throw damaged(folder, cause)
  }
}

const damaged = (folder: string, cause: unknown) =>
  new CertificatesError(
    `the certificate authority in ${folder} is damaged: restore its files, or remove the folder and trust a new authority`,
    { cause },
  )

async function openServer(
  options: LocalCertificatesOptions,
  authority: Identity,
): Promise<Identity> {
  const known = await goodServer(options, authority)
  if (known !== undefined) return known
  const { folder, names, now } = options
  const files = serverFiles(folder)
  try {
    const server = await issueServerCertificate(authority, names, now())
    await replaceSecretFile(files.key, server.key)
    await replaceSecretFile(files.certificate, server.certificate)
    return server
  } catch (cause) {
    if (isSystemError(cause)) throw cause
    throw damaged(folder, cause)
  }
}

const serverFiles = (folder: string) => ({
  certificate: join(folder, 'server.pem'),
  key: join(folder, 'server.key'),
})

/** The kept server certificate, while it is usable. */
async function goodServer(
  { folder, names, now }: LocalCertificatesOptions,
  authority: Identity,
): Promise<Identity | undefined> {
  const files = serverFiles(folder)
  const [certificate, key] = await Promise.all([files.certificate, files.key].map(readIfThere))
  const known = certificate && key ? { certificate, key } : undefined
  return known && isGood(known, authority, names, now()) ? known : undefined
}

function isGood(...question: Parameters<typeof isGoodFor>): boolean {
  try {
    return isGoodFor(...question)
  } catch {
    // An unreadable server certificate is created again. An unreadable authority fails in
    // `createServer`.
    return false
  }
}

const isSystemError = (cause: unknown) =>
  cause instanceof Error && 'syscall' in cause && 'code' in cause
