type Row = readonly [
  /** Matches the names, codes and messages of the error and its causes. */
  pattern: RegExp,
  /** The end of the sentence "The server could not be reached: ...". */
  detail: string,
  remedy: string,
  /** The row is for URLs of this protocol only. */
  protocol?: 'http:' | 'https:',
]

/** What a failed connection can mean. The first row that matches is the cause. */
const rows = {
  proxy_refused: [
    /\bProxy response\b/,
    'the proxy refuses the connection',
    'Check the name and the password in HTTPS_PROXY, or add the host of the URL to NO_PROXY.',
  ],
  timeout: [
    /TimeoutError|_TIMEOUT\b|\bETIMEDOUT\b|timed out/,
    'it did not answer in time',
    'Check the URL, HTTPS_PROXY and the firewalls between, or allow more time.',
  ],
  host_unknown: [
    /\bENOTFOUND\b|\bEAI_AGAIN\b|dns error/,
    'its host name is unknown',
    'Check the host name in the URL, and the name servers of this machine. Node uses HTTPS_PROXY only with NODE_USE_ENV_PROXY=1.',
  ],
  connection_refused: [
    /ECONNREFUSED|ConnectionRefused|connection refused/i,
    'no program listens on this port',
    'Start it ("npx --no-install greeting start" starts a local one), or check the port in the URL.',
  ],
  network_unreachable: [
    /EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL/,
    'this machine has no route to it',
    'Check the network of this machine and the address in the URL.',
  ],
  port_blocked: [
    /\bbad port\b/,
    'fetch refuses this port, which belongs to another protocol',
    'Use another port.',
  ],
  tls_refused: [
    /\balert\b/i,
    'it ended the TLS handshake',
    'Check the host name in the URL. The server may require a client certificate.',
  ],
  certificate_outdated: [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate has expired|not yet valid/i,
    'its certificate has expired, or is not valid yet',
    'Renew the certificate of the server, or set the clock of this machine.',
  ],
  certificate_of_other_name: [
    /ALTNAME|hostname mismatch|NotValidForName/i,
    'its certificate is for another name',
    'Use a name in the URL that the certificate of the server contains.',
  ],
  certificate_untrusted: [
    /certificate|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|\bCERT_|name constraint/i,
    'its certificate authority is not trusted by this process',
    'Set NODE_EXTRA_CA_CERTS to the certificate file of the authority before the process starts ("npx --no-install greeting trust" prints the lines). Bun needs a host name in the URL, not an address.',
  ],
  tls_not_spoken: [
    /wrong.version.number|packet.length.too.long|InvalidContentType/i,
    'the port does not speak TLS',
    'Use the port of HTTPS, or http for a server on this machine.',
    'https:',
  ],
  tls_failed: [
    /SSL|TLS|EPROTO/,
    'the TLS handshake failed',
    'Check the scheme and the port of the URL.',
  ],
  http_not_spoken: [
    /\bHPE_|HTTPParserError/,
    'the port does not speak HTTP',
    'Check the port in the URL, and HTTPS_PROXY.',
  ],
  answer_cut: [
    /\bterminated\b|\baborted\b/,
    'the connection was closed within the answer',
    'Try again. If it happens each time, check the proxies between, and the log of the server.',
  ],
  https_required: [
    // The answers of nginx, Go and Apache.
    /HTTP request (was sent )?to (an )?HTTPS |plain HTTP to an SSL/i,
    'the port speaks HTTPS only',
    'Write https in the URL.',
    'http:',
  ],
  http_at_tls_port: [
    /UND_ERR_SOCKET|ECONNRESET|EPIPE|socket hang up|other side closed/,
    'the connection was closed without a response, so the port probably expects HTTPS',
    'Check the scheme of the URL: write https if the port speaks TLS.',
    'http:',
  ],
  connection_closed: [
    /UND_ERR_SOCKET|ECONNRESET|EPIPE|socket hang up|other side closed/,
    'the connection was closed',
    'Check for a proxy or a firewall. The server may require a client certificate.',
  ],
} as const satisfies Readonly<Record<string, Row>>

/** The cause of a failed connection. */
export type NetworkFaultName = keyof typeof rows | 'other'

/** A failed connection: what happened, and the remedy. */
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

/** True if the details of an error name a fault that another attempt does not cure. */
export const isPermanentFault = (details: object): boolean =>
  'fault' in details && permanentFaults.has(details.fault)

/** True for the details of a connection that timed out. */
export const isTimeout = (details: object): boolean =>
  'fault' in details && details.fault === 'timeout'

const maxBodyCharacters = 1_000

/** Returns an error if the response says that an HTTPS server received a plain HTTP request. */
export function httpsRequired(status: number, body: string, url: URL): Error | undefined {
  if (status !== 400) return undefined
  const error = new Error(body.slice(0, maxBodyCharacters))
  return networkFault(error, url).name === 'https_required' ? error : undefined
}

const rowsInOrder: readonly (readonly [string, Row])[] = Object.entries(rows)

const proxyRemedy =
  'This address is from a proxy or a redirect. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.'

/**
 * Describes an error of `fetch` or `node:http` by its cause and its remedy, without the words of the TLS library.
 *
 * @param url the URL of the request. Without it, a proxy is not distinguished from the server.
 * @example
 * const { detail, remedy } = networkFault(new Error('connect ECONNREFUSED 127.0.0.1:4000'))
 */
export function networkFault(error: Error, url?: URL): NetworkFault {
  const chain = causesOf(error)
  const text = chain.map(wordsOf).join('\n')
  const found = rowsInOrder.find(
    ([, [pattern, , , protocol]]) =>
      (protocol === undefined || protocol === url?.protocol) && pattern.test(text),
  )
  const root = chain.at(-1)
  if (found === undefined)
    return { name: 'other', detail: readableMessage(root?.message ?? ''), remedy: undefined }
  const [name, [, detail, remedy]] = found
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

/** The address of a failed connection, if it differs from the URL's address. */
function otherAddress(message: string, url: URL): string | undefined {
  const [, host] = /^getaddrinfo \w+ (\S+)$/.exec(message) ?? []
  if (host !== undefined) return host === url.hostname ? undefined : host
  const [, address, port] = /^connect \w+ (\S+):(\d+)$/.exec(message) ?? []
  const own = url.port || (url.protocol === 'https:' ? '443' : '80')
  return port === undefined || port === own ? undefined : `${address}:${port}`
}

/**
 * An error message on one line. OpenSSL lines have the form
 * `{thread}:error:{number}:{library}:{function}:{reason}:{file}:{line}:`, of which only the reason is kept.
 */
export function readableMessage(message: string): string {
  const [, openSsl] = message.split(':error:', 2)
  const reason = openSsl?.split(':')[3]
  return (reason ? `TLS: ${reason}` : message).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
