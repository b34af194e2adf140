import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { clientCertificate } from '../credentials/client-certificate.ts'
import type { Credential } from '../credentials/credential.ts'
import { judgeOptions, nonEmptyString, required } from '../option-rules.ts'

export type ClientCertificateFiles = {
  /** Path of the certificate, as PEM. */
  readonly certificateFile: string
  /** Path of its private key, as PEM; the same file by default. */
  readonly privateKeyFile?: string
}

// No block reaches beyond the next line of dashes: else each start would be searched to the end.
const keyBlock =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----))+-----END [A-Z ]*PRIVATE KEY-----/

/** The credential that the PEM texts make, if they belong together. */
async function credentialOf(certificate: string, key: string): Promise<Credential> {
  const block = keyBlock.exec(key)?.[0]
  if (block === undefined) throw new Error('there is no private key in PEM')
  const privateKey = createPrivateKey(block)
  if (!new X509Certificate(certificate).checkPrivateKey(privateKey)) {
    throw new Error('the private key is not that of the certificate')
  }
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return clientCertificate({ privateKey: pem, certificate })
}

/**
 * A certificate and its private key in files, read before every token request, so that a renewed
 * certificate is used from then on.
 *
 * @throws {TypeError} when options are missing, unknown or wrong. Files that cannot be read, or do
 * not belong together, are told by `token()`.
 * @see RFC 7523, sections 2.2 and 3
 * @example
 * const credential = clientCertificateFiles({ certificateFile: '/var/run/secrets/greeting/tls.pem' })
 */
export function clientCertificateFiles(options: ClientCertificateFiles): Credential {
  judgeOptions('clientCertificateFiles', options, {
    certificateFile: required(nonEmptyString),
    privateKeyFile: nonEmptyString,
  })
  const { certificateFile, privateKeyFile = certificateFile } = options
  let latest: { readonly pem: string; readonly credential: Promise<Credential> } | undefined
  return {
    kind: 'certificate',
    identity: () => `file:${certificateFile}`,
    authentications: async (context) => {
      const [certificate, key] = await Promise.all([
        readFile(certificateFile, 'utf8'),
        readFile(privateKeyFile, 'utf8'),
      ])
      const pem = certificate + key
      if (latest?.pem !== pem) latest = { pem, credential: credentialOf(certificate, key) }
      return (await latest.credential).authentications(context)
    },
  }
}
