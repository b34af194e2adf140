import type { ConnectionOptions } from 'node:tls'
import { takeTlsOptions } from './postgres-tls.ts'

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
