/** The settings that sentences about a failed start name. */
export type StartSettings = {
  readonly HOST: string
  readonly DATA_DIR?: string
} & { readonly [Name in (typeof portNames)[number]]?: unknown }

const portNames = ['PORT', 'HTTPS_PORT', 'METRICS_PORT'] as const

/** An error of the system: Node adds the path of a file, or the address and port of a listener. */
type SystemError = NodeJS.ErrnoException & { readonly port?: number; readonly address?: string }

type Sentence = (settings: StartSettings, error: SystemError) => string

const noAccess: Sentence = (_, { path }) => `this user may not use ${path}`

const sentences: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: (settings, { port, address = settings.HOST }) => {
    const name = portNames.find((one) => settings[one] === port)
    const remedy = name ? `: stop it, or set ${name} to another port` : ''
    return `port ${port} at ${address} is taken by another program${remedy}`
  },
  EACCES: (settings, error) =>
    error.path === undefined
      ? `this user may not listen on port ${error.port} at ${error.address ?? settings.HOST}`
      : noAccess(settings, error),
  EPERM: noAccess,
  EADDRNOTAVAIL: ({ HOST }, { address = HOST }) => `${address} is not an address of this machine`,
  ENOTFOUND: ({ HOST }) => `no address is known for the host ${HOST}`,
  ENOENT: (_, { path, syscall }) =>
    syscall === 'mkdir' ? `${path} cannot be created there` : `${path} does not exist`,
  EEXIST: (_, { path }) => `${path} is a file`,
  ENOTDIR: (_, { path }) => `a part of ${path} is not a folder`,
  EISDIR: (_, { path }) => `${path} is a folder`,
  EROFS: (_, { path }) => `${path} is on a read-only disk`,
  // The error of a write has no path.
  ENOSPC: ({ DATA_DIR = '' }, { path = DATA_DIR }) => `the disk of ${path} is full`,
}

/** A service with HTTPS starts with 48. With fewer, other sentences hide the reason. */
const minOpenFiles = 64

/** Errors of the system when no more files can be opened, also as the cause of another error. */
const outOfFiles: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

function isOutOfFiles(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  return outOfFiles.has(String(code)) || (cause !== undefined && isOutOfFiles(cause))
}

/**
 * Explains in one sentence, without its full stop, why a service cannot start.
 *
 * @param maxOpenFiles how many files and connections the process may open
 */
export function explainStartFailure(
  error: SystemError,
  settings: StartSettings,
  maxOpenFiles = Number.POSITIVE_INFINITY,
): string {
  const { code = '', message } = error
  const sentence = sentences[code]?.(settings, error)
  if (isOutOfFiles(error) || (sentence === undefined && maxOpenFiles < minOpenFiles)) {
    const limit = Number.isFinite(maxOpenFiles) ? `${maxOpenFiles} open files` : 'open files'
    return `the limit of ${limit} is too low: raise it, for example with \`ulimit -n 4096\``
  }
  return sentence ?? message.replace(/\.$/, '')
}

/** Reads how many files a process may open; undefined when the system has no such limit. */
export function readMaxOpenFiles({ report }: Pick<NodeJS.Process, 'report'>): number | undefined {
  if (report === undefined) return undefined
  // Otherwise the report would look up the names of all addresses.
  Object.assign(report, { excludeNetwork: true })
  type Report = {
    readonly userLimits?: { readonly open_files: { readonly soft: number | string } }
  }
  const limit = Number((report.getReport() as Report).userLimits?.open_files.soft)
  return Number.isNaN(limit) ? undefined : limit
}
