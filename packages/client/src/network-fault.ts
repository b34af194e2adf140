type Row = {
  /** Matches the names, codes and messages of the error and its causes. */
  readonly pattern: RegExp
  /** The row is for URLs of this protocol only. */
  readonly protocol?: 'http:' | 'https:'
  /** The end of the sentence "The server could not be reached: ...". */
  readonly detail: string
  readonly remedy: string
}

/** What a failed connection can mean. The first row that matches is the cause. */
const rows = {
  proxy_refused: {
    pattern: /\bProxy response\b/,
    detail: 'the proxy refuses the connection',
    remedy:
      'Check the name and the password in HTTPS_PROXY, or add the host of the URL to NO_PROXY.',
  },
  timeout: {
    pattern: /TimeoutError|_TIMEOUT\b|\bETIMEDOUT\b|timed out/,
    detail: 'it did not answer in time',
    remedy: 'Check the URL, HTTPS_PROXY and the firewalls between, or allow more time.',
  },
  host_unknown: {
    pattern: /\bENOTFOUND\b|\bEAI_AGAIN\b|dns error/,
    detail: 'its host name is unknown',
    remedy: 'Check the host name in the URL, and the name servers of this machine.',
  },
  connection_refused: {
    pattern: /ECONNREFUSED|ConnectionRefused|connection refused/i,
    detail: 'no program listens on this port',
    remedy: 'Start it ("greeting start" starts a local one), or check the port in the URL.',
  },
  network_unreachable: {
    pattern: /EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL/,
    detail: 'this machine has no route to it',
    remedy: 'Check the network of this machine and the address in the URL.',
  },
  port_blocked: {
    pattern: /\bbad port\b/,
    detail: 'fetch refuses this port, which belongs to another protocol',
    remedy: 'Use another port.',
  },
  tls_refused: {
    pattern: /\balert\b/i,
    detail: 'it ended the TLS handshake',
    remedy: 'Check the host name in the URL. The server may require a client certificate.',
  },
  certificate_outdated: {
    pattern: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate has expired|not yet valid/i,
    detail: 'its certificate has expired, or is not valid yet',
    remedy: 'Renew the certificate of the server, or set the clock of this machine.',
  },
  certificate_of_other_name: {
    pattern: /ALTNAME|hostname mismatch|NotValidForName/i,
    detail: 'its certificate is for another name',
    remedy: 'Use a name in the URL that the certificate of the server contains.',
  },
  certificate_untrusted: {
    pattern: /certificate|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|\bCERT_|name constraint/i,
    detail: 'its certificate authority is not trusted by this process',
    remedy:
      'Set NODE_EXTRA_CA_CERTS to the certificate file of the authority, before the process starts. For a local identity provider, "greeting trust" prints the lines. Bun needs a host name in the URL, such as localhost, and not an address.',
  },
  tls_not_spoken: {
    pattern: /wrong.version.number|packet.length.too.long|InvalidContentType/i,
    protocol: 'https:',
    detail: 'the port does not speak TLS',
    remedy:
      'Use the port of HTTPS. Only a server on this machine may be called by http: check the scheme of the URL.',
  },
  tls_failed: {
    pattern: /SSL|TLS|EPROTO/,
    detail: 'the TLS handshake failed',
    remedy: 'Check the scheme and the port of the URL.',
  },
  http_not_spoken: {
    pattern: /\bHPE_|HTTPParserError/,
    detail: 'the port does not speak HTTP',
    remedy: 'Check the port in the URL, and HTTPS_PROXY.',
  },
  answer_cut: {
    pattern: /\bterminated\b|\baborted\b/,
    detail: 'the connection was closed within the answer',
    remedy:
      'Try again. If it happens each time, check the proxies between, and the log of the server.',
  },
  https_required: {
    // The answers of nginx, Go and Apache.
    pattern: /HTTP request (was sent )?to (an )?HTTPS |plain HTTP to an SSL/i,
    protocol: 'http:',
    detail: 'the port speaks HTTPS only',
    remedy: 'Write https in the URL.',
  },
  http_at_tls_port: {
    pattern: /UND_ERR_SOCKET|ECONNRESET|EPIPE|socket hang up|other side closed/,
    protocol: 'http:',
    detail: 'the connection was closed without an answer, as a port of HTTPS does',
    remedy: 'Check the scheme of the URL: write https if the port speaks TLS.',
  },
  connection_closed: {
    pattern: /UND_ERR_SOCKET|ECONNRESET|EPIPE|socket hang up|other side closed/,
    detail: 'the connection was closed',
    remedy: 'Check for a proxy or a firewall. The server may require a client certificate.',
  },
} as const satisfies Readonly<Record<string, Row>>

/** The cause of a failed connection. */
export type NetworkFaultName = keyof typeof rows | 'other'

/** The description of a failed connection. */
export type NetworkFault = {
  readonly name: NetworkFaultName
  /** The end of the sentence "The server could not be reached: ...". */
  readonly detail: string
  readonly remedy: string | undefined
}

/** Faults that another attempt within some seconds does not end. */
const permanentFaults: ReadonlySet<unknown> = new Set<NetworkFaultName>([
  'port_blocked',
  'certificate_outdated',
  'certificate_of_other_name',
  'certificate_untrusted',
  'tls_not_spoken',
  'http_not_spoken',
  'https_required',
])

/** True if the details of an error name such a fault. */
export const isPermanentFault = (details: object): boolean =>
  'fault' in details && permanentFaults.has(details.fault)

/** True for the details of a connection that lasted too long. */
export const isTimeout = (details: object): boolean =>
  'fault' in details && details.fault === 'timeout'

const maxBodyCharacters = 1_000

/** The error that an answer stands for, if a server of HTTPS says that it got HTTP. */
export function httpsRequired(status: number, body: string, url: URL): Error | undefined {
  if (status !== 400) return undefined
  const error = new Error(body.slice(0, maxBodyCharacters))
  return networkFault(error, url).name === 'https_required' ? error : undefined
}

const rowsInOrder: readonly (readonly [string, Row])[] = Object.entries(rows)

const proxyRemedy =
  'This address is not the one in the URL. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY. It may also come from a redirect.'

/**
 * Describes an error of `fetch` or `node:http`: the cause and the remedy, without the words of the TLS
 * library.
 *
 * @param url the URL of the request. Without it, a proxy is not distinguished from the server.
 * @example
 * const { detail, remedy } = networkFault(new Error('connect ECONNREFUSED 127.0.0.1:4000'))
 */
export function networkFault(error: Error, url?: URL): NetworkFault {
  const chain = causesOf(error)
  const text = chain.map(wordsOf).join('\n')
  const found = rowsInOrder.find(
    ([, { pattern, protocol }]) =>
      (protocol === undefined || protocol === url?.protocol) && pattern.test(text),
  )
  const root = chain.at(-1)
  if (found === undefined) {
    return { name: 'other', detail: readableMessage(root?.message ?? ''), remedy: undefined }
  }
  const [name, { detail, remedy }] = found
  const code = chain.map(codeOf).findLast((value) => value !== '')
  const shown = name !== 'timeout' && code ? `${detail} (${code})` : detail
  const other = url && otherAddress(root?.message ?? '', url)
  return {
    name: name as NetworkFaultName,
    detail: other ? `${other}: ${shown}` : shown,
    remedy: other ? proxyRemedy : remedy,
  }
}

const codeOf = (error: Error): string => {
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? code : ''
}
const wordsOf = (error: Error) => `${error.name} ${codeOf(error)} ${error.message}`

const maxCauses = 5

function causesOf(error: Error, depth = 1): readonly Error[] {
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined)
  return inner instanceof Error && depth < maxCauses
    ? [error, ...causesOf(inner, depth + 1)]
    : [error]
}

/** The address of a connection that failed, if it is not that of the URL. */
function otherAddress(message: string, url: URL): string | undefined {
  const [, host] = /^getaddrinfo \w+ (\S+)$/.exec(message) ?? []
  if (host !== undefined) return host === url.hostname ? undefined : host
  const [, address, port] = /^connect \w+ (\S+):(\d+)$/.exec(message) ?? []
  const own = url.port || (url.protocol === 'https:' ? '443' : '80')
  return port === undefined || port === own ? undefined : `${address}:${port}`
}

/**
 * A message on one line. The lines of OpenSSL have the form
 * `{thread}:error:{number}:{library}:{function}:{reason}:{file}:{line}:`, and the reason remains.
 */
export function readableMessage(message: string): string {
  const [, openSsl] = message.split(':error:', 2)
  const reason = openSsl?.split(':')[3]
  return (reason ? `TLS: ${reason}` : message).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
