/** A network fault: its description and its remedy. */
type NetworkFault = {
  readonly isTls: boolean
  readonly detail: string
  readonly remedy: string
}

type Row = {
  readonly codes: RegExp
  readonly detail: string
  readonly remedy: string
  readonly isTls?: true
}

const rows: readonly Row[] = [
  {
    codes: /^ENOTFOUND$|^EAI_AGAIN$/,
    detail: 'its host name is unknown',
    remedy: 'Check the URL, and the name servers of this machine.',
  },
  {
    codes: /^ECONNREFUSED$/,
    detail: 'no program listens on this port',
    remedy: 'Start it ("greeting start" starts a local one), or check the port in the URL.',
  },
  {
    codes: /^ECONNRESET$|^EPIPE$|^UND_ERR_SOCKET$/,
    detail: 'the connection was closed',
    remedy: 'Check for a proxy or a firewall, and check that the port speaks HTTP.',
  },
  {
    codes: /TIMEOUT|ETIMEDOUT|^23$/,
    detail: 'it did not answer in time',
    remedy: 'Check for a firewall, or use --deadline for more time.',
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    detail: 'its certificate has expired',
    remedy: 'Renew the certificate of the server, or set the clock of this machine.',
    isTls: true,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    detail: 'its certificate is for another name',
    remedy: 'Use the name of the certificate, or fix the certificate of the server.',
    isTls: true,
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^CERT_/,
    detail: 'its certificate authority is not trusted on this machine',
    remedy:
      'Set NODE_EXTRA_CA_CERTS to the certificate file of the authority, then run the command again.',
    isTls: true,
  },
  {
    codes: /SSL|TLS/,
    detail: 'the TLS handshake failed',
    remedy: 'Check the scheme and the port of the URL.',
    isTls: true,
  },
]

const unnamed: Row = {
  codes: /^/,
  detail: 'the connection failed',
  remedy: 'Check the URL, and check that the server runs.',
}

function codesOf(error: Error): string[] {
  const code: unknown = Reflect.get(error, 'code')
  const own = code === undefined ? [] : [String(code)]
  return error.cause instanceof Error ? [...own, ...codesOf(error.cause)] : own
}

const innermostMessage = (error: Error): string =>
  error.cause instanceof Error ? innermostMessage(error.cause) : error.message

/** Describes a failed connection. */
export function networkFault(error: Error): NetworkFault {
  const codes = codesOf(error)
  const row = rows.find(({ codes: pattern }) => codes.some((code) => pattern.test(code))) ?? unnamed
  // A cause without a code is described by the innermost message.
  const code = codes.at(-1) ?? innermostMessage(error)
  return {
    isTls: row.isTls === true,
    detail: `${row.detail} (${code})`,
    remedy: row.remedy,
  }
}
