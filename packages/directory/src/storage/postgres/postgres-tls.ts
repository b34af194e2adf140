import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type ConnectionOptions, createSecureContext } from 'node:tls'

const modes = ['disable', 'require', 'verify-ca', 'verify-full']
const fileNames = ['sslrootcert', 'sslcert', 'sslkey'] as const
const maxFileBytes = 1_048_576

/**
 * Removes the TLS parameters from a database URL and reads them as libpq does. Without
 * `sslrootcert`, it trusts Node's certificate authorities, which include `NODE_EXTRA_CA_CERTS`.
 *
 * @param refuse ends the parsing with the expected form
 * @returns the options of each connection; false without TLS, undefined when the URL does not say
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export function takeTlsOptions(
  parameters: URLSearchParams,
  refuse: (expected: string) => never,
): ConnectionOptions | false | undefined {
  const given = [...parameters].filter(([name]) => /^(ssl|uselibpqcompat)/.test(name))
  for (const [name] of given) parameters.delete(name)
  const { uselibpqcompat: _, sslmode: mode, ...files } = Object.fromEntries(given)
  if (!Object.keys(files).every((name) => fileNames.some((known) => known === name)))
    refuse(`only sslmode, ${fileNames.join(', ')} of the parameters for TLS`)
  if (mode === undefined && given.length === 0) return undefined
  if (!modes.includes(mode ?? '')) refuse(`sslmode to be ${modes.join(', ')}`)
  if (mode === 'disable') return false
  if ((files.sslcert === undefined) !== (files.sslkey === undefined))
    refuse('sslcert and sslkey together')
  const [ca, cert, key] = fileNames.map((name) => read(name, files[name], refuse))
  try {
    createSecureContext({ ca, cert, key })
  } catch {
    refuse(
      'sslcert and sslkey to be a certificate and its private key without a passphrase, in PEM',
    )
  }
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert, key }),
    ...(mode === 'require' && ca === undefined && { rejectUnauthorized: false }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}

function read(name: string, path: string | undefined, refuse: (expected: string) => never) {
  if (path === undefined) return undefined
  try {
    if (statSync(path).size > maxFileBytes) throw new RangeError()
    const text = readFileSync(path, 'utf8')
    if (name === 'sslrootcert') new X509Certificate(text)
    return text
  } catch {
    return refuse(`${name} to be a readable file in PEM, not ${JSON.stringify(path)}`)
  }
}
