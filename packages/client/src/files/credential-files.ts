import { clientCertificate } from '../credentials/client-certificate.ts'
import { type Credential, secretAuthentication } from '../credentials/credential.ts'
import { assertionAuthentication } from '../credentials/federated-assertion.ts'
import { nonEmptyString, required, validateOptions } from '../option-rules.ts'
import { readPemFile, readTextFile } from './text-file.ts'

/**
 * A client secret in a file, read before every token request. A changed file takes effect
 * immediately. If the secret is refused, the file is read again and a new secret is tried.
 *
 * @param path of the file with the secret's value; a line break at its end is ignored
 * @throws {TypeError} if the path is empty; `token()` reports a file that cannot be read
 * @example
 * const credential = clientSecretFile('/var/run/secrets/greeting/client-secret')
 */
export function clientSecretFile(path: string): Credential {
  if (typeof path !== 'string' || path === '') throw new TypeError('the path must not be empty')
  return {
    kind: 'secret',
    identity: () => `file:${path}`,
    authentications: async () => {
      const secret = (await readTextFile(path)).replace(/\r?\n$/, '')
      if (secret === '') throw new Error(`the file ${path} is empty`)
      return [secretAuthentication(secret)]
    },
  }
}

/**
 * A federated assertion in a file, such as the service account token of Kubernetes. The file is read
 * before every token request, because Kubernetes replaces it before it expires.
 *
 * @param path of the file, such as the value of `AZURE_FEDERATED_TOKEN_FILE`
 * @throws {TypeError} if the path is empty; `token()` reports a file that cannot be read
 * @see RFC 7523 section 2.2
 * @example
 * const credential = federatedAssertionFile('/var/run/secrets/tokens/greeting')
 */
export function federatedAssertionFile(path: string): Credential {
  if (typeof path !== 'string' || path === '') throw new TypeError('the path must not be empty')
  return {
    kind: 'assertion',
    identity: () => `file:${path}`,
    authentications: async () => {
      const assertion = (await readTextFile(path)).trim()
      if (assertion === '') throw new Error(`the file ${path} is empty`)
      return [assertionAuthentication(assertion)]
    },
  }
}

/** The files of a certificate and its private key. */
export type ClientCertificateFiles = {
  /** Path of the certificate, as PEM. */
  readonly certificateFile: string
  /** Path of its private key, as PEM; the same file by default. */
  readonly privateKeyFile?: string
}

// A block ends at the next line of dashes. Else the search takes quadratic time.
const keyBlock =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----))+-----END [A-Z ]*PRIVATE KEY-----/

function parsed<Value>(parse: () => Value, what: string): Value {
  try {
    return parse()
  } catch {
    // The words of OpenSSL name no cause that a person knows.
    throw new Error(`the ${what} in PEM is damaged`)
  }
}

/** Creates the credential if certificate and key belong together. */
async function createCredential(certificate: string, key: string): Promise<Credential> {
  const block = keyBlock.exec(key)?.[0]
  if (block === undefined) throw new Error('there is no private key in PEM')
  // Not imported at the start, because every program would pay for it that has a secret.
  const { createPrivateKey, X509Certificate } = await import('node:crypto')
  if (!certificate.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error('there is no certificate in PEM')
  const privateKey = parsed(() => createPrivateKey(block), 'private key')
  const leaf = parsed(() => new X509Certificate(certificate), 'certificate')
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('the private key is not RSA')
  if (!leaf.checkPrivateKey(privateKey))
    throw new Error('the private key does not belong to the certificate')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return clientCertificate({ privateKey: pem, certificate })
}

/**
 * A certificate and its private key in files. They are read before every token request, so that a
 * renewed certificate takes effect immediately.
 *
 * @throws {TypeError} lists every invalid option; `token()` reports files that cannot be read or do
 *   not belong together
 * @see RFC 7523 sections 2.2 and 3
 * @example
 * const credential = clientCertificateFiles({ certificateFile: '/var/run/secrets/greeting/tls.pem' })
 */
export function clientCertificateFiles(options: ClientCertificateFiles): Credential {
  validateOptions('clientCertificateFiles', options, {
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
        readPemFile(certificateFile),
        readPemFile(privateKeyFile),
      ])
      const pem = certificate + key
      if (latest?.pem !== pem) latest = { pem, credential: createCredential(certificate, key) }
      return (await latest.credential).authentications(context)
    },
  }
}
