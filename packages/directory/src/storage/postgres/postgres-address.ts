import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type ConnectionOptions, createSecureContext } from 'node:tls'

/** The address of a database on one or several servers. */
export type PostgresAddress = {
  /** The servers to try in turn, each as a URL with one host. */
  readonly servers: readonly { readonly url: string; readonly name: string }[]
  /** Hosts, ports and database, without user and password. */
  readonly name: string
  /** Whether a standby is skipped. */
  readonly needsPrimary: boolean
  /** False without TLS; undefined when the URL does not say. */
  readonly tls: ConnectionOptions | false | undefined
}

/** An invalid database URL. The message has the expected form, and never the URL. */
export class PostgresAddressError extends Error {
  readonly code = 'postgres_address_invalid'
  override readonly name = 'PostgresAddressError'
}

const expectedForm =
  'postgres://user:password@host:port/name, several host:port with commas between'
const expectedPorts = 'as many ports as hosts, or one port for all hosts'

/** The supported values of `target_session_attrs`, and whether each excludes a standby. */
const sessionAttributes: Readonly<Record<string, boolean>> = {
  'read-write': true,
  primary: true,
  any: false,
}
const expectedAttributes = `target_session_attrs to be ${Object.keys(sessionAttributes).join(', ')}`

const form = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)([/?#].*)?$/
const hostAndPort = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/

/**
 * Reads a database URL. Several hosts have the libpq format: `host:port,host:port`, or lists in the
 * parameters `host` and `port`.
 *
 * @throws {PostgresAddressError} postgres_address_invalid
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const [, scheme = '', user = '', authority = '', rest = ''] = form.exec(text) ?? refuse()
  const base = URL.parse(`${scheme}${user}${authority.split(',')[0]}${rest}`) ?? refuse()
  const parameters = base.searchParams
  const attribute = parameters.get('target_session_attrs') ?? 'read-write'
  const tls = takeTlsOptions(parameters, refuse)
  const needsPrimary = sessionAttributes[attribute] ?? refuse(expectedAttributes)

  const list = (name: string) => parameters.get(name)?.split(',')
  const written = authority === '' ? [] : authority.split(',').map(split)
  const hosts = list('host') ?? written.map(({ host }) => host)
  const ports = list('port') ?? written.map(({ port }) => port)
  if (hosts.length < 2 && ports.length < 2) {
    const name = `${base.host}${base.pathname}`
    return { servers: [{ url: base.href, name }], name, needsPrimary, tls }
  }
  if (ports.length !== hosts.length && ports.length !== 1) refuse(expectedPorts)
  const servers = hosts.map((host, index) => {
    const port = ports[ports.length === 1 ? 0 : index] || '5432'
    if (host === '' || !(Number(port) >= 1 && Number(port) <= 65_535)) refuse()
    const one = new URL(base)
    one.searchParams.set('host', host)
    one.searchParams.set('port', port)
    return { url: one.href, name: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}` }
  })
  const name = `${servers.map((server) => server.name).join()}${base.pathname}`
  return { servers, name, needsPrimary, tls }
}

function split(one: string) {
  const [, host = '', port = ''] = hostAndPort.exec(one) ?? refuse()
  return { host: host.replace(/^\[|\]$/g, ''), port }
}

function refuse(expected = expectedForm): never {
  throw new PostgresAddressError(`expected ${expected}`)
}

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
function takeTlsOptions(
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
