import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { listenSecurely, type SecureListener, type TlsIdentity } from '@greeting/http-service'
import type { Logger } from 'pino'
import type { Settings } from './settings.ts'

/** How often the files are read again: a renewed certificate is in use after an hour at most. */
const rereadMs = 3_600_000

/** An HTTPS listener whose certificate follows its files. */
type ReloadingListener = SecureListener & {
  /** Reads the files again. Keeps the certificate in use when they are unusable. */
  readonly reload: () => Promise<void>
}

/**
 * Opens the HTTPS listener of the settings; undefined when HTTPS is off.
 *
 * @throws {TlsFilesError} tls_files_unusable when certificate or key cannot be used
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export async function openSecureListener(
  settings: Settings,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<ReloadingListener | undefined> {
  const { HOST, HTTPS_PORT, HTTPS_CERTIFICATE_FILE, HTTPS_KEY_FILE, CERTIFICATE_BINDING } = settings
  if (HTTPS_PORT === null || !HTTPS_CERTIFICATE_FILE || !HTTPS_KEY_FILE) return undefined
  const read = () => readTlsFiles(HTTPS_CERTIFICATE_FILE, HTTPS_KEY_FILE)
  let identity: TlsIdentity = await read()
  const listener = await listenSecurely(
    HOST,
    HTTPS_PORT,
    identity,
    { keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1000, reusePort: settings.REUSE_PORT },
    { requestsClientCertificate: CERTIFICATE_BINDING !== 'refused' },
  )
  const reload = async () => {
    try {
      const next = await read()
      if (next.certificate === identity.certificate) return
      identity = next
      listener.setIdentity(next)
      log.info('the new server certificate is in use')
    } catch (err) {
      log.warn({ err }, 'the server certificate could not be read again')
    }
  }
  const timer = setInterval(reload, rereadMs)
  timer.unref()
  return {
    ...listener,
    reload,
    stop: async (options) => {
      clearInterval(timer)
      await listener.stop(options)
    },
  }
}

/** Certificate and key files that cannot be used. The message names every fault. */
export class TlsFilesError extends Error {
  readonly code = 'tls_files_unusable'
  override readonly name = 'TlsFilesError'
}

const maxBytes = 256 * 1024

/**
 * Reads a server certificate, with its chain, and its private key.
 *
 * @param certificateFile path of a PEM file, at most 256 KB
 * @param keyFile path of a PEM file, at most 256 KB
 * @throws {TlsFilesError} tls_files_unusable with all faults. It contains no part of the key.
 */
export async function readTlsFiles(certificateFile: string, keyFile: string): Promise<TlsIdentity> {
  const faults: string[] = []
  const read = async <Parsed>(name: string, path: string, parse: (text: string) => Parsed) => {
    try {
      const bytes = await readFile(path)
      if (bytes.byteLength > maxBytes) throw new RangeError('the file is too large')
      const isUtf16 = bytes[1] === 0 || (bytes[0] ?? 0) >= 0xfe
      if (isUtf16) throw new TypeError('UTF-16')
      const text = bytes.toString('utf8')
      return { text, parsed: parse(text) }
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
      const format = String(cause) === 'TypeError: UTF-16' ? ' (UTF-16)' : code
      faults.push(`${name} ${path} cannot be read as PEM${format}`)
      return undefined
    }
  }
  const certificate = await read(
    'HTTPS_CERTIFICATE_FILE',
    certificateFile,
    (text) => new X509Certificate(text),
  )
  const key = await read('HTTPS_KEY_FILE', keyFile, createPrivateKey)
  if (certificate && key && !certificate.parsed.checkPrivateKey(key.parsed))
    faults.push('HTTPS_KEY_FILE is not the key of HTTPS_CERTIFICATE_FILE')
  if (certificate === undefined || key === undefined || faults.length > 0)
    throw new TlsFilesError(faults.join('; '))
  return { certificate: certificate.text, key: key.text }
}
