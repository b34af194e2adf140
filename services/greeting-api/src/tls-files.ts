import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { TlsIdentity } from '@greeting/http-service'

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
      const text = bytes.toString('utf8')
      return { text, parsed: parse(text) }
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
      faults.push(`${name} ${path} cannot be read as PEM${code}`)
      return undefined
    }
  }
  const certificate = await read(
    'HTTPS_CERTIFICATE_FILE',
    certificateFile,
    (text) => new X509Certificate(text),
  )
  const key = await read('HTTPS_KEY_FILE', keyFile, createPrivateKey)
  if (certificate && key && !certificate.parsed.checkPrivateKey(key.parsed)) {
    faults.push('HTTPS_KEY_FILE is not the key of HTTPS_CERTIFICATE_FILE')
  }
  if (certificate === undefined || key === undefined || faults.length > 0) {
    throw new TlsFilesError(faults.join('; '))
  }
  return { certificate: certificate.text, key: key.text }
}
