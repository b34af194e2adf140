/** A fault of the network, in words, and how it is mended. */
export type NetworkFault = {
  readonly isTls: boolean
  readonly says: string
  readonly mend: string
}

type Row = {
  readonly codes: RegExp
  readonly says: string
  readonly mend: string
  readonly isTls?: true
}

const rows: readonly Row[] = [
  {
    codes: /^ENOTFOUND$|^EAI_AGAIN$/,
    says: 'its name is not known',
    mend: 'Check the spelling of the URL, and the name servers of this machine.',
  },
  {
    codes: /^ECONNREFUSED$/,
    says: 'nobody listens there',
    mend: 'Start it ("greeting start" starts a local one), or check the port in the URL.',
  },
  {
    codes: /^ECONNRESET$|^EPIPE$|^UND_ERR_SOCKET$/,
    says: 'the connection was broken off',
    mend: 'Check whether a proxy or a firewall stands in between, and whether the port speaks HTTP.',
  },
  {
    codes: /TIMEOUT|ETIMEDOUT|^23$/,
    says: 'it did not answer in time',
    mend: 'Check whether a firewall stands in between; --deadline gives it more time.',
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    says: 'its certificate has ended',
    mend: 'Have the server given a new certificate, or set the clock of this machine.',
    isTls: true,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    says: 'its certificate is for another name',
    mend: 'Use the name that the certificate is for, or have the server given the right certificate.',
    isTls: true,
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^CERT_/,
    says: 'its certificate comes from an authority that is not trusted here',
    mend: 'Set NODE_EXTRA_CA_CERTS to the file of the certificate authority before the command starts.',
    isTls: true,
  },
  {
    codes: /SSL|TLS/,
    says: 'it does not speak TLS as this machine does',
    mend: 'Check whether the URL should begin with http, and whether the port is the right one.',
    isTls: true,
  },
]

const unnamed: Row = {
  codes: /^/,
  says: 'the connection cannot be made',
  mend: 'Check the URL, and whether the server runs.',
}

function codesOf(error: Error): string[] {
  const code: unknown = Reflect.get(error, 'code')
  const own = code === undefined ? [] : [String(code)]
  return error.cause instanceof Error ? [...own, ...codesOf(error.cause)] : own
}

const innermostMessage = (error: Error): string =>
  error.cause instanceof Error ? innermostMessage(error.cause) : error.message

/** What a failed connection means. */
export function networkFault(error: Error): NetworkFault {
  const codes = codesOf(error)
  const row = rows.find(({ codes: pattern }) => codes.some((code) => pattern.test(code))) ?? unnamed
  // Without a code, the innermost message has to do.
  const shown = codes.at(-1) ?? innermostMessage(error)
  return {
    isTls: row.isTls === true,
    says: `${row.says} (${shown})`,
    mend: row.mend,
  }
}
